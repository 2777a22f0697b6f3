// SPDX-License-Identifier: BSD-3-Clause
#include "model/many_to_many.hpp"

#include <algorithm>
#include <cmath>

namespace thalweg::model {

namespace {

double direct_seconds(const MessageTerms& terms, const ManyToMany& pattern) {
  const double messages = std::max(pattern.busiest_sender.messages, pattern.busiest_receiver.messages);
  const double bytes = std::max(pattern.busiest_sender.bytes, pattern.busiest_receiver.bytes);
  if (messages <= 0)
    return 0;
  const auto count = static_cast<std::int64_t>(std::ceil(messages));
  return terms.round(count, static_cast<std::int64_t>(bytes / static_cast<double>(count)), Handling::packed);
}

} // namespace

double many_to_many_seconds(const MessageTerms& terms, std::span<const std::int32_t> sides,
                            const ManyToMany& pattern) {
  if (sides.size() <= 1)
    return direct_seconds(terms, pattern);
  double seconds = 0;
  for (std::size_t d = 0; d < sides.size(); ++d) {
    const bool is_first = d == 0;
    const bool is_last = d + 1 == sides.size();
    const double bytes = is_first  ? pattern.busiest_sender.bytes
                         : is_last ? pattern.busiest_receiver.bytes
                                   : pattern.mean.bytes;
    const double once =
        pattern.multicast * bytes / (static_cast<double>(sides.size()) * std::max(1, sides[d] - 1));
    const double each = (1 - pattern.multicast) * bytes / sides[d];
    seconds += terms.round(sides[d] - 1, static_cast<std::int64_t>(once + each), Handling::packed);
  }
  return seconds;
}

} // namespace thalweg::model

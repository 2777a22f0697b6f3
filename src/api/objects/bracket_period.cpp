// SPDX-License-Identifier: BSD-3-Clause
#include "objects/bracket_period.hpp"

#include <algorithm>

namespace thalweg::objects {

Period period_of(std::span<const RankPeriod> ranks) {
  Period all;
  model::Volume sum;
  double multicast = 0;
  model::Volume sent;
  model::Volume received;
  const auto raise = [](model::Volume& max, double messages, double bytes) {
    max.messages = std::max(max.messages, messages);
    max.bytes = std::max(max.bytes, bytes);
  };
  for (const RankPeriod& one : ranks) {
    all.iterations = std::max(all.iterations, one.iterations);
    all.total_seconds = std::max(all.total_seconds, one.seconds);
    sum.messages += one.messages;
    sum.bytes += one.bytes;
    multicast += one.multicast_bytes;
    raise(sent, one.messages, one.bytes);
    raise(received, one.received_messages, one.received_bytes);
  }
  if (all.iterations <= 0)
    return all;
  if (received.messages <= 0)
    received = sent;
  const auto each = [&](const model::Volume& of, double parts) {
    return model::Volume{of.messages / parts, of.bytes / parts};
  };
  all.pattern = {each(sum, all.iterations * static_cast<double>(ranks.size())), each(sent, all.iterations),
                 each(received, all.iterations), sum.bytes > 0 ? std::min(1.0, multicast / sum.bytes) : 0};
  all.seconds = all.total_seconds / all.iterations;
  return all;
}

} // namespace thalweg::objects

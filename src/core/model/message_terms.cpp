// SPDX-License-Identifier: BSD-3-Clause
#include "model/message_terms.hpp"

#include "base/assertion.hpp"

#include <algorithm>
#include <cmath>

namespace thalweg::model {

MessageTerms::MessageTerms(const machine::Machine& machine, machine::Level level)
    : machine_(machine), costs_(machine.at(level)) {}

MessageTerms::Parts MessageTerms::parts(std::int64_t bytes, Handling handling) const {
  const machine::MessageCost& cost = costs_.at(bytes);
  const auto size = static_cast<double>(bytes);
  Parts found;
  found.send = machine_.step.value + cost.send.value + cost.send_per_byte.value * size;
  found.receive = cost.receive.value + cost.receive_per_byte.value * size;
  if (handling == Handling::packed) {
    found.send += machine_.copy_seconds(bytes);
    found.receive += machine_.copy_seconds(bytes);
  } else if (handling == Handling::combined) {
    found.receive += machine_.combine_seconds(bytes);
  }
  found.posted = costs_.per_posted.value;
  found.transfer = cost.gap_per_byte.value * size;
  found.latency = cost.latency.value;
  found.apart = std::max(cost.gap.value, costs_.level == machine::Level::network ? found.transfer : 0);
  return found;
}

double MessageTerms::hop(std::int64_t bytes, Handling handling) const {
  const Parts one = parts(bytes, handling);
  return one.send + one.transfer + one.latency + one.receive;
}

double MessageTerms::interval(std::int64_t bytes, Handling handling) const {
  const Parts one = parts(bytes, handling);
  return std::max(one.send, one.apart);
}

// Receives are posted first, then all sends begin one after another; what has come waits until they have.
double MessageTerms::round(std::int64_t messages, std::int64_t bytes, Handling handling) const {
  THALWEG_ASSERT(normal, messages >= 0 && bytes >= 0);
  if (messages == 0)
    return 0;
  const Parts one = parts(bytes, handling);
  const auto count = static_cast<double>(messages);
  const double posted = count * machine_.step.value;
  const double first = posted + one.send + one.transfer + one.latency;
  const double last = first + (count - 1) * std::max(one.send, one.apart);
  const double sent = posted + count * one.send;
  const double searched = one.posted * count * (count - 1) / 2; // the receives that are posted become fewer
  return std::max(last + one.receive, std::max(sent, first) + count * one.receive + searched);
}

double MessageTerms::taking(std::int64_t bytes, Handling handling) const {
  return machine_.step.value + parts(bytes, handling).receive;
}

double MessageTerms::passing(std::int64_t bytes, Handling handling) const {
  const Parts one = parts(bytes, handling);
  return std::max(machine_.step.value + one.receive + one.send, one.apart);
}

double MessageTerms::copy(std::int64_t bytes) const {
  return machine_.step.value + machine_.copy_seconds(bytes);
}

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
  THALWEG_ASSERT(light, pattern.multicast >= 0 && pattern.multicast <= 1);
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

// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/message_costs.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace thalweg::simulate {

namespace {

constexpr double nanoseconds_max = 1e9;

// Nothing is too large to be added up: a message of all memory there is takes less than a year.
Ticks rounded(double nanoseconds) {
  constexpr double year = 3e16;
  return std::llround(std::clamp(nanoseconds, 0.0, year));
}

Error bad_loggops(std::string_view text, const std::string& why) {
  return {fmt::format("LogGOPS parameters {:?}: {}", text, why),
          "write L,o,g,G,O,S in nanoseconds and bytes, as 2500,1500,1000,6,0,65535"};
}

} // namespace

Ticks ticks_of(double seconds) {
  return rounded(seconds * 1e9);
}

MessageCost MessageCost::on_links(bool has_cables) const {
  MessageCost cost = *this;
  if (transfer == 0) { // LogGOPSim charges the receiver
    cost.transfer = gap_bytes;
    cost.receive_bytes -= std::min(receive_bytes, gap_bytes);
  }
  cost.gap_bytes_in = 0;
  if (!has_cables)
    cost.gap_bytes = 0;
  return cost;
}

MessageCost LogGops::cost(std::int64_t bytes) const {
  const auto further = static_cast<double>(std::max<std::int64_t>(bytes, 1) - 1);
  const Ticks gap_bytes = rounded(further * G);
  const Ticks overhead_bytes = rounded(further * O);
  return {.bytes = bytes,
          .send_overhead = rounded(o),
          .send_bytes = overhead_bytes,
          .latency = rounded(L),
          .receive_overhead = rounded(o),
          .receive_bytes = std::max(overhead_bytes, gap_bytes),
          .gap = rounded(g),
          .gap_bytes = gap_bytes,
          .gap_bytes_in = gap_bytes,
          .is_rendezvous = bytes > S};
}

LogGops parse_loggops(std::string_view text) {
  std::array<double, 6> values{2500, 1500, 1000, 6, 0, 65535};
  std::size_t count = 0;
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view word = rest.substr(0, comma);
    if (count == values.size())
      throw bad_loggops(text, "more than six");
    double& value = values[count++];
    const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (status != std::errc() || end != word.data() + word.size() || word.empty())
      throw bad_loggops(text, fmt::format("{:?} is no number", word));
    const double limit = count == values.size() ? 9e15 : nanoseconds_max;
    if (!(value >= 0 && value <= limit))
      throw bad_loggops(text, fmt::format("{} is not between 0 and {}", value, limit));
    if (comma == rest.size())
      break;
    rest.remove_prefix(comma + 1);
  }
  return {.L = values[0],
          .o = values[1],
          .g = values[2],
          .G = values[3],
          .O = values[4],
          .S = static_cast<std::int64_t>(values[5])};
}

MessageCost message_cost(const machine::LevelCosts& level, std::int64_t bytes) {
  THALWEG_ASSERT(normal, bytes >= 0);
  const machine::MessageCost& cost = level.at(bytes);
  const auto size = static_cast<double>(bytes);
  const bool is_link = level.level == machine::Level::network;
  const Ticks transfer = ticks_of(cost.gap_per_byte.value * size);
  const Ticks gap = ticks_of(cost.gap.value);
  // A link carries one message after another; memory does not.
  const Ticks gap_bytes = is_link ? std::max<Ticks>(transfer - gap, 0) : 0;
  return {.bytes = bytes,
          .send_overhead = ticks_of(cost.send.value + cost.send_per_byte.value * size),
          .latency = ticks_of(cost.latency.value),
          .transfer = transfer,
          .receive_overhead = ticks_of(cost.receive.value),
          .receive_bytes = ticks_of(cost.receive_per_byte.value * size),
          .gap = gap,
          .gap_bytes = gap_bytes,
          .gap_bytes_in = gap_bytes};
}

} // namespace thalweg::simulate

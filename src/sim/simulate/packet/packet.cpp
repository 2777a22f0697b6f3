// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/packet/packet.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

namespace thalweg::simulate::packet {

namespace {

constexpr std::uint32_t max_packet_bytes = 1 << 20;
constexpr std::uint32_t max_buffers = 1 << 12;
constexpr std::uint32_t max_units = 33;
constexpr std::uint64_t min_rate = 1'000'000;
constexpr std::uint64_t max_rate = 100'000'000'000'000;
constexpr Ticks max_delay = 1'000'000'000'000;
constexpr std::uint32_t max_cycles = 1 << 20;

void require(bool holds, std::string_view what, std::uint64_t value, const std::string& remedy) {
  if (!holds)
    throw Error(fmt::format("a router with {} {}", value, what), remedy);
}

} // namespace

void check(const RouterOptions& options) {
  require(options.packet_bytes >= 1 && options.packet_bytes <= max_packet_bytes, "bytes a packet",
          options.packet_bytes, fmt::format("choose 1 to {}", max_packet_bytes));
  require(options.bits_per_second >= min_rate && options.bits_per_second <= max_rate, "bits a second",
          options.bits_per_second, "choose 1e6 to 1e14");
  require(transfer_ticks(options, options.packet_bytes) <= max_packet_ticks,
          "bytes a packet on slow channels", options.packet_bytes, "choose packets that take up to 4 ms");
  require(options.channel_delay <= max_delay, "picoseconds of channel delay", options.channel_delay,
          "choose up to 1 s");
  require(options.switch_delay <= max_delay, "picoseconds of switch delay", options.switch_delay,
          "choose up to 1 s");
  require(options.buffers >= 1 && options.buffers <= max_buffers, "packet buffers a crosspoint",
          options.buffers, fmt::format("choose 1 to {}", max_buffers));
  require(options.combine_units <= max_units, "combine units", options.combine_units,
          fmt::format("choose up to {}", max_units));
  require(options.cycle >= 1 && options.cycle <= max_delay, "picoseconds a cycle", options.cycle,
          "choose 1 ps to 1 s");
  require(options.element_bytes >= 1 && options.element_bytes <= max_packet_bytes, "bytes an element",
          options.element_bytes, "choose 4 or 8, as of a number");
  require(options.element_cycles <= max_cycles, "cycles an element", options.element_cycles,
          fmt::format("choose up to {}", max_cycles));
  if (options.discipline == Discipline::input_queued &&
      (options.credits == CreditRule::crosspoint || options.combine_units > 0))
    throw Error("an input-queued router with crosspoints' credits or combine units",
                "choose one counter a link, and no units: it has no crosspoints");
}

} // namespace thalweg::simulate::packet

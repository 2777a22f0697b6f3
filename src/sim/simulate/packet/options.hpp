// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a network of routers is made of and what it takes: the parameters of chapter 8 of S. Kumar,
// "Optimizing communication for massively parallel processing" (2005), with its values as the usual ones.

#include <cstdint>

namespace thalweg::simulate::packet {

/// Picoseconds.
using Ticks = std::uint64_t;
inline constexpr Ticks never = UINT64_MAX;

/// When a packet may leave for the next switch. The text has both; which one is meant decides how much a
/// network carries.
enum class CreditRule : std::uint8_t {
  crosspoint, ///< each crosspoint that it may come to has room: a counter for each
  link,       ///< one counter a link: so many packets are in all crosspoints of an input together
};

/// Where packets wait.
enum class Discipline : std::uint8_t {
  output_queued, ///< at a crosspoint for each input and output
  input_queued,  ///< in one queue for each input, whose first packet alone may leave: for comparison
};

/// Which of its crosspoints an output serves next.
enum class Arbitration : std::uint8_t {
  round_robin, ///< the next input that has something
  oldest,      ///< the packet that came to the switch first
  fair,        ///< conversations have equal parts, whatever their inputs (fair_turns.hpp)
};

/// Which combine unit serves an input, of the units that are leaves.
enum class UnitSubsets : std::uint8_t {
  fixed, ///< consecutive inputs have the same: on a fat tree half of the units serve what comes from below
  round_robin, ///< input i has unit i modulo the leaves
};

struct RouterOptions {
  std::uint32_t packet_bytes = 256;
  std::uint64_t bits_per_second = 10'000'000'000;
  Ticks channel_delay = 20'000;
  Ticks switch_delay = 90'000;
  std::uint32_t buffers = 4; ///< packets that a crosspoint has room for; of input queues, an input
  CreditRule credits = CreditRule::crosspoint;
  Discipline discipline = Discipline::output_queued;
  Arbitration arbitration = Arbitration::round_robin;
  std::uint32_t combine_units = 0; ///< of a switch: 1, or leaves and a root
  UnitSubsets unit_subsets = UnitSubsets::fixed;
  Ticks cycle = 4'000;              ///< of a combine unit: 250 MHz
  std::uint32_t element_cycles = 1; ///< that combining an element takes
  std::uint32_t element_bytes = 4;
  std::uint64_t seed = 1;
};

/// How long so many bytes take on a channel.
inline Ticks transfer_ticks(const RouterOptions& options, std::uint64_t bytes) {
  return bytes * 8 * 1'000'000 / (options.bits_per_second / 1'000'000);
}

/// The longest time of a packet on a channel.
inline constexpr Ticks max_packet_ticks = UINT32_MAX;

/// Throws Error for what no router has.
void check(const RouterOptions& options);

} // namespace thalweg::simulate::packet

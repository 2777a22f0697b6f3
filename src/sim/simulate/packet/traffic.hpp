// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Networks under load: what comes through, and how long it takes, where each node sends packets at random
// times (a Poisson process) of a given rate. At a load of 1 a packet follows the other, so that what comes
// through is what the network carries.

#include "base/random.hpp"
#include "simulate/packet/network.hpp"

#include <bit>
#include <cstdint>
#include <functional>
#include <string>

namespace thalweg::simulate::packet {

/// Times between packets: by whole numbers alone, so no library and no compiler has a say.
/// -log2 of a number of 64 bits as a fraction of 2^64, in 2^-32: bit by bit, by squaring.
inline std::uint64_t minus_log2(std::uint64_t fraction) {
  const int zeros = std::countl_zero(fraction | 1);
  std::uint64_t mantissa = (fraction | 1) << zeros >> 32; // 1 to 2, in 2^-31
  std::uint64_t log = 0;
  for (int bit = 31; bit >= 8; --bit) {
    mantissa = mantissa * mantissa >> 31;
    if (mantissa >> 32 != 0) {
      mantissa >>= 1;
      log |= std::uint64_t{1} << bit;
    }
  }
  return (static_cast<std::uint64_t>(zeros + 1) << 32) - log;
}

/// Exponentially distributed, in 2^-32 of its mean.
inline std::uint64_t exponential(Random& random) {
  constexpr std::uint64_t ln2 = 2977044472; // in 2^-32
  const std::uint64_t log = minus_log2(random.next());
  return (log >> 32) * ln2 + ((log & UINT32_MAX) * ln2 >> 32);
}

struct Traffic {
  std::string pattern = "uniform"; ///< as parse_destinations() has them
  std::uint32_t senders = 0;       ///< only the first so many nodes send; 0: all
  /// Multicasts to so many random nodes instead. Each has a group of its own, whose tree is there when it is
  /// sent, and gone when it has come to all; or one of `sets` groups of its node, which are drawn before.
  std::uint32_t fanout = 0;
  std::uint32_t sets = 0;
  Ticks interface_latency = 0;     ///< that is added to each packet's
  std::uint64_t packets = 100'000; ///< about so many are measured
};

struct Estimate {
  double mean = 0;
  double half_width = 0; ///< of the 95 % confidence interval, from the means of batches
};

struct LoadPoint {
  double load = 0; ///< offered: part of the time in which a sender's channel would be busy
  Estimate accepted =
      {}; ///< the same of what has come to its nodes; of multicasts, copies over the mean fanout
  Estimate latency = {}; ///< nanoseconds from when a packet could be sent to its last byte at a node
  /// Senders fall behind by more than 2 % of the time, or surely 2 % less comes than is offered.
  bool is_saturated = false;
  std::uint64_t packets = 0; ///< that came while it was measured; copies count
  std::uint64_t hops = 0;    ///< packets through switches, in all of the run
  std::uint64_t events = 0;
  Ticks measured = 0;
  std::uint64_t fingerprint = 0; ///< equal for equal results
};

inline constexpr int batches = 20;

/// Simulates one load, above 0 and at most 1. `progress` hears now and then how many of the batches are done,
/// and may end it by an exception. Throws Error for a load or a pattern that the network does not have, and
/// where the network stands still.
LoadPoint measure_load(const Fabric& fabric, const Routing& routing, const RouterOptions& options,
                       const Traffic& traffic, double load,
                       const std::function<void(int batches_done)>& progress = {});

} // namespace thalweg::simulate::packet

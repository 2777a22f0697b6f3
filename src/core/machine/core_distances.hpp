// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How far the cores of a node are apart, measured pair by pair: what a cache line takes there and back, and
// what bytes take that are written for the other core and read there. Pairs that are alike make a class.
//
// What the system tells of caches need not be so: virtual cores may be anywhere, and change places.

#include "machine/figure.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg::machine {

/// Pairs of cores that are about equally far apart; seconds.
struct DistanceClass {
  Figure round_trip;     ///< of a cache line
  Figure write_per_byte; ///< to write what the other core has read before
  Figure read_per_byte;  ///< to read what the other core has written
  /// By core, as the system numbers them, the group within which any two are at most so far apart; -1: in
  /// none.
  std::vector<std::int32_t> group_of = {};

  bool holds(std::int32_t one, std::int32_t other) const;
  /// The cores of each group, ascending.
  std::vector<std::vector<std::int32_t>> groups() const;
  /// Throws Error for a core that comes twice or has no possible number.
  void set_groups(const std::vector<std::vector<std::int32_t>>& groups);
};

/// Cores have numbers below this.
inline constexpr std::int32_t max_cores = 8192;

struct CoreDistances {
  std::vector<DistanceClass> classes; ///< nearest first, each group within one of the next class
  std::int64_t looks = 0;             ///< how often each pair was measured
  std::int64_t changes = 0;           ///< pairs that were not of one class in all of them

  bool is_known() const { return !classes.empty(); }
  /// The class of a pair; null where it was not measured.
  const DistanceClass* between(std::int32_t one, std::int32_t other) const;
  /// The class whose lines take the most like that; null where there is none.
  const DistanceClass* like(double round_trip) const;
  /// Throws Error where classes are not as above.
  void check() const;
};

/// "0-3,8" as numbers, ascending. Throws Error for what is no such list of cores.
std::vector<std::int32_t> parse_cores(std::string_view text);
std::string cores_text(const std::vector<std::int32_t>& cores);

} // namespace thalweg::machine

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Sets of ranks, pieces or blocks written down in few words.

#include <cstdint>
#include <span>
#include <vector>

namespace thalweg::topology {

/// `count` runs of `run` neighbors, the runs `stride` apart.
struct Runs {
  std::int32_t first = 0;
  std::int32_t run = 1;
  std::int32_t count = 1;
  std::int32_t stride = 0;

  bool operator==(const Runs&) const = default;
};

/// Ascending, different numbers as few runs: neighbors melt into runs, equal runs at equal distances into
/// one entry.
std::vector<Runs> compressed(std::span<const std::int32_t> ascending);

/// The numbers again, in order.
std::vector<std::int32_t> expanded(std::span<const Runs> runs);

} // namespace thalweg::topology

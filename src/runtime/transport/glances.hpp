// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How far apart cores are, for who must not wait for others to find it out.

#include <cstdint>

namespace thalweg::transport {

/// A transport whose ranks share memory on a node.
class NeighborGlances {
public:
  virtual ~NeighborGlances() = default;
  /// In ticks of a clock, what it takes to load a line that a neighbor's core has written in the neighbor's
  /// last glance; 0 where that is not known, as where it has had none since this rank's last one. One thread
  /// at a time.
  virtual std::uint64_t glance_at_neighbor() = 0;
};

} // namespace thalweg::transport

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Hypercubes over ranks 0 .. P-1 of any radix, with holes (Kumar 2005, section 3.1.3): the largest power of
// the radix that fits makes the nodes 0 .. nodes-1, the other ranks fold onto nodes. Radix 2: ranks P', P'+1,
// .. onto 0, 1, ..

#include "base/arithmetic.hpp"
#include "base/assertion.hpp"
#include "base/rank.hpp"

#include <algorithm>
#include <utility>

namespace thalweg::topology {

class Hypercube {
public:
  Hypercube(std::int32_t ranks, std::int32_t radix)
      : ranks_(ranks), radix_(radix), dimensions_(floor_log(radix, ranks)),
        nodes_(static_cast<std::int32_t>(power(radix, dimensions_))) {
    THALWEG_ASSERT(light, ranks >= 1 && radix >= 2 && nodes_ <= ranks);
  }

  std::int32_t ranks() const { return ranks_; }
  std::int32_t radix() const { return radix_; }
  std::int32_t dimensions() const { return dimensions_; }
  std::int32_t nodes() const { return nodes_; }

  /// How many ranks a node stands for at most, itself included.
  std::int32_t layers() const { return (ranks_ + nodes_ - 1) / nodes_; }
  /// The node that stands for a rank; its own number unless the rank is folded.
  Rank node_of(Rank rank) const { return rank % nodes_; }
  /// How many of the nodes first .. first+count-1 have a rank in that layer: rank layer * nodes + node. They
  /// are the first ones, so these ranks are neighbors.
  std::int32_t count_in_layer(Rank first, std::int32_t count, std::int32_t layer) const {
    return std::clamp(ranks_ - layer * nodes_ - first, 0, count);
  }

  /// radix^stage.
  std::int32_t distance(std::int32_t stage) const { return static_cast<std::int32_t>(power(radix_, stage)); }
  /// The node that differs from `node` in digit `stage` by k, going round.
  Rank neighbor(Rank node, std::int32_t stage, std::int32_t k) const {
    THALWEG_ASSERT(normal, node >= 0 && node < nodes_ && stage >= 0 && stage < dimensions_);
    const std::int32_t unit = distance(stage);
    const std::int32_t digit = node / unit % radix_;
    return node + ((digit + k) % radix_ - digit) * unit;
  }
  /// First of the radix^stage nodes that agree with `node` in digit `stage` and all above: with whose data it
  /// goes into that stage when stages go up.
  Rank group(Rank node, std::int32_t stage) const { return node - node % distance(stage); }

private:
  std::int32_t ranks_;
  std::int32_t radix_;
  std::int32_t dimensions_;
  std::int32_t nodes_;
};

} // namespace thalweg::topology

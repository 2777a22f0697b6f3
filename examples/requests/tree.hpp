// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// An octree of particles, of which each rank holds the nodes of its part of space.

#include "common/blocks.hpp"

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace thalweg::examples::requests {

constexpr int grid_bits = 20; // of a coordinate

struct Particle {
  std::uint32_t number = 0;
  std::uint32_t x = 0;
  std::uint32_t y = 0;
  std::uint32_t z = 0;
  std::uint32_t mass = 0;
};

/// Any rank can make any particle: half of them are in eight clusters.
Particle make_particle(std::uint64_t seed, std::uint32_t number);

/// A cube of space. The root is 1, the children of n are 8 n to 8 n + 7.
using Node = std::uint64_t;
constexpr int level_of(Node node) {
  return (static_cast<int>(std::bit_width(node)) - 1) / 3;
}
/// The node of this level that a particle is in.
Node node_of(Particle const& particle, int level);

/// What a walk wants to know of a node. All in whole numbers, so that it is the same in any order.
struct Moment {
  std::uint32_t mass = 0;
  std::uint32_t x = 0; ///< of the center of mass
  std::uint32_t y = 0;
  std::uint32_t z = 0;
  std::uint32_t children = 0; ///< a bit for each that is not empty
};

/// The nodes that begin in one of `parts` equal parts of the leaves, along Morton's curve.
class Tree {
public:
  Tree(std::uint64_t seed, std::uint32_t particles, int depth, int parts, int part);

  int depth() const { return depth_; }
  /// The particles in the leaves of this part.
  std::span<Particle const> particles() const { return particles_; }
  int part_of_node(Node node) const {
    int const level = level_of(node);
    Node const first_leaf = (node << (3 * (depth_ - level))) - (Node{1} << (3 * depth_));
    return static_cast<int>(
        part_holding(std::int64_t{1} << (3 * depth_), parts_, static_cast<std::int64_t>(first_leaf)));
  }
  /// A node of this part.
  Moment const& at(Node node) const {
    Level const& level = levels_[static_cast<std::size_t>(level_of(node))];
    return level.moments[node - level.first];
  }

private:
  struct Level {
    Node first = 0;
    std::vector<Moment> moments;
  };
  int depth_;
  int parts_;
  std::vector<Level> levels_;
  std::vector<Particle> particles_;
};

} // namespace thalweg::examples::requests

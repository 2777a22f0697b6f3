// SPDX-License-Identifier: BSD-3-Clause
#include "requests/tree.hpp"

#include "common/random.hpp"

namespace thalweg::examples::requests {
namespace {

struct Sums {
  std::uint64_t mass = 0;
  std::uint64_t x = 0;
  std::uint64_t y = 0;
  std::uint64_t z = 0;
  std::uint32_t children = 0;
};

Moment moment_of(Sums const& sums) {
  if (sums.mass == 0)
    return {};
  return {static_cast<std::uint32_t>(sums.mass), static_cast<std::uint32_t>(sums.x / sums.mass),
          static_cast<std::uint32_t>(sums.y / sums.mass), static_cast<std::uint32_t>(sums.z / sums.mass),
          sums.children};
}

constexpr std::uint32_t coordinate_mask = (1U << grid_bits) - 1;

} // namespace

Particle make_particle(std::uint64_t seed, std::uint32_t number) {
  std::uint64_t const word = random_word(seed, number);
  std::uint64_t const more = mix(word);
  auto const part = [](std::uint64_t bits, int index) {
    return static_cast<std::uint32_t>(bits >> (index * grid_bits)) & coordinate_mask;
  };
  Particle particle{number, part(word, 0), part(word, 1), part(word, 2),
                    1 + (static_cast<std::uint32_t>(word >> 60U) & 0xfU)};
  if (number % 2 == 0)
    return particle;
  // Near a cluster's center, as the product of two random numbers is small more often than large.
  std::uint64_t const center = random_word(seed + 1, more >> 61U);
  auto const near = [&](std::uint32_t random, int index) {
    std::uint64_t const offset = std::uint64_t{random} * part(more, index) >> (grid_bits + 3);
    return static_cast<std::uint32_t>(part(center, index) + offset) & coordinate_mask;
  };
  particle.x = near(particle.x, 0);
  particle.y = near(particle.y, 1);
  particle.z = near(particle.z, 2);
  return particle;
}

Node node_of(Particle const& particle, int level) {
  Node node = 1;
  for (int bit = grid_bits - 1; bit >= grid_bits - level; --bit)
    node = (node << 3U) | (((particle.x >> bit) & 1U) << 2U) | (((particle.y >> bit) & 1U) << 1U) |
           ((particle.z >> bit) & 1U);
  return node;
}

// Each rank goes through all particles and adds up those in its nodes: how trees are built is not the
// subject.
Tree::Tree(std::uint64_t seed, std::uint32_t particles, int depth, int parts, int part)
    : depth_(depth), parts_(parts) {
  Range const leaves = part_of({0, std::int64_t{1} << (3 * depth)}, parts, part);
  std::vector<std::vector<Sums>> sums(static_cast<std::size_t>(depth) + 1);
  for (int level = 0; level <= depth; ++level) {
    // Of this level, the nodes whose first leaf is in the part.
    int const below = 3 * (depth - level);
    auto const reach = [&](std::int64_t leaf) {
      return static_cast<Node>((leaf + (std::int64_t{1} << below) - 1) >> below);
    };
    levels_.push_back({.first = (Node{1} << (3 * level)) + reach(leaves.begin), .moments = {}});
    sums[static_cast<std::size_t>(level)].resize(reach(leaves.end) - reach(leaves.begin));
  }
  for (std::uint32_t number = 0; number < particles; ++number) {
    Particle const particle = make_particle(seed, number);
    Node const leaf = node_of(particle, depth);
    if (part_of_node(leaf) == part)
      particles_.push_back(particle);
    for (int level = 0; level <= depth; ++level) {
      std::vector<Sums>& row = sums[static_cast<std::size_t>(level)];
      Node const place = (leaf >> (3 * (depth - level))) - levels_[static_cast<std::size_t>(level)].first;
      if (place >= row.size())
        continue;
      std::uint64_t const mass = particle.mass;
      Sums& sum = row[place];
      sum.mass += mass;
      sum.x += mass * particle.x;
      sum.y += mass * particle.y;
      sum.z += mass * particle.z;
      if (level < depth)
        sum.children |= 1U << ((leaf >> (3 * (depth - level - 1))) & 7U);
    }
  }
  for (std::size_t level = 0; level < levels_.size(); ++level)
    for (Sums const& sum : sums[level])
      levels_[level].moments.push_back(moment_of(sum));
}

} // namespace thalweg::examples::requests

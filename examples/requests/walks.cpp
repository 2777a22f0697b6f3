// SPDX-License-Identifier: BSD-3-Clause
#include "requests/walks.hpp"

#include "common/random.hpp"

#include <cmath>

namespace thalweg::examples::requests {

Walks::Walks(Tree const& tree, int part, int theta_percent)
    : tree_(tree), part_(part), theta_squared_(static_cast<std::uint64_t>(theta_percent * theta_percent)),
      potentials_(tree.particles().size()) {}

// Distances are whole numbers, and so is what is added: sums do not depend on the order of replies.
bool Walks::add_if_far(std::uint32_t particle, Node node, Moment const& moment) {
  Particle const& own = tree_.particles()[particle];
  auto const squared = [](std::uint32_t a, std::uint32_t b) {
    std::int64_t const difference = std::int64_t{a} - b;
    return static_cast<std::uint64_t>(difference * difference);
  };
  std::uint64_t const distance =
      squared(own.x, moment.x) + squared(own.y, moment.y) + squared(own.z, moment.z);
  int const level = level_of(node);
  if (level < tree_.depth()) {
    std::uint64_t const side = std::uint64_t{1} << (grid_bits - level);
    if (side * side * 10'000 > theta_squared_ * distance)
      return false;
  }
  // Softened by one cell of the grid, so that a particle may meet itself.
  double const potential = moment.mass * 0x1p30 / std::sqrt(static_cast<double>(distance + 1));
  potentials_[particle] += static_cast<std::int64_t>(potential);
  return true;
}

std::uint64_t Walks::hash() const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < potentials_.size(); ++i)
    sum += random_word(static_cast<std::uint64_t>(potentials_[i]), tree_.particles()[i].number);
  return sum;
}

} // namespace thalweg::examples::requests

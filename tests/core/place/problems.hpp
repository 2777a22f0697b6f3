// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Machines, allocations and patterns that tests of this room share.

#include "machine/allocation.hpp"
#include "pattern/matrix.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <string_view>
#include <vector>

namespace thalweg::place {

using Numbers = std::vector<std::int32_t>;

inline machine::Allocation whole(std::string_view machine) {
  auto interconnect = topology::parse_interconnect(machine);
  machine::Allocation allocation{interconnect, {}};
  for (topology::Place place = 0; place < interconnect->nodes(); ++place)
    allocation.slots.push_back(place);
  return allocation;
}

/// A cube of nodes in a torus of 16 x 16 x 16.
inline machine::Allocation cube(std::int32_t side) {
  machine::Allocation allocation{topology::parse_interconnect("torus:16x16x16"), {}};
  for (std::int32_t z = 0; z < side; ++z)
    for (std::int32_t y = 0; y < side; ++y)
      for (std::int32_t x = 0; x < side; ++x)
        allocation.slots.push_back(x + 16 * (y + 16 * z));
  return allocation;
}

/// Some nodes of a machine, in any order, some of them several times.
inline machine::Allocation random_allocation(std::mt19937& random) {
  constexpr std::array machines{"torus:4x3x2", "mesh:5x4", "torus:7", "mesh:2x2x2x2", "torus:1"};
  machine::Allocation allocation = whole(machines[random() % machines.size()]);
  const auto nodes = static_cast<std::size_t>(allocation.interconnect->nodes());
  allocation.slots.clear();
  for (std::size_t count = random() % 20 + 1; count > 0; --count)
    allocation.slots.push_back(static_cast<topology::Place>(random() % nodes));
  return allocation;
}

inline pattern::Pattern random_pattern(std::mt19937& random, std::int32_t tasks) {
  pattern::Pattern pattern{tasks, {}};
  for (std::size_t phase = random() % 4; phase > 0; --phase) {
    std::vector<pattern::Edge> edges;
    for (std::size_t count = random() % 40; count > 0; --count)
      edges.push_back({static_cast<std::int32_t>(random() % static_cast<std::size_t>(tasks)),
                       static_cast<std::int32_t>(random() % static_cast<std::size_t>(tasks)),
                       static_cast<double>(random() % 5), static_cast<double>(random() % 2)});
    pattern.phases.push_back({"phase", static_cast<double>(random() % 3), pattern::Matrix(tasks, edges)});
  }
  return pattern;
}

inline Numbers shuffled(std::mt19937& random, std::int32_t count) {
  Numbers numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  std::shuffle(numbers.begin(), numbers.end(), random);
  return numbers;
}

/// Each place of a mesh sends a byte to those beside it; task t is at place number_of[t].
inline pattern::Matrix mesh_pattern(const Numbers& extents, const Numbers& task_at) {
  std::vector<pattern::Edge> edges;
  const auto places = static_cast<std::int32_t>(task_at.size());
  for (std::int32_t place = 0; place < places; ++place) {
    std::int32_t stride = 1;
    for (const std::int32_t extent : extents) {
      if (place / stride % extent + 1 < extent) {
        const std::int32_t a = task_at[static_cast<std::size_t>(place)];
        const std::int32_t b = task_at[static_cast<std::size_t>(place + stride)];
        edges.push_back({a, b, 1, 1});
        edges.push_back({b, a, 1, 1});
      }
      stride *= extent;
    }
  }
  return {places, std::move(edges)};
}

inline pattern::Matrix natural_mesh(const Numbers& extents) {
  Numbers tasks(
      static_cast<std::size_t>(std::accumulate(extents.begin(), extents.end(), 1, std::multiplies{})));
  std::iota(tasks.begin(), tasks.end(), 0);
  return mesh_pattern(extents, tasks);
}

/// Bruck's all-gather: in each round to the rank 2^k before.
inline pattern::Matrix bruck(std::int32_t tasks) {
  std::vector<pattern::Edge> edges;
  for (std::int32_t step = 1; step < tasks; step *= 2)
    for (std::int32_t task = 0; task < tasks; ++task)
      edges.push_back(
          {task, (task - step + tasks) % tasks, static_cast<double>(std::min(step, tasks - step)), 1});
  return {tasks, std::move(edges)};
}

/// A broadcast from task 0.
inline pattern::Matrix binomial(std::int32_t tasks) {
  std::vector<pattern::Edge> edges;
  for (std::int32_t step = 1; step < tasks; step *= 2)
    for (std::int32_t task = 0; task + step < tasks; task += 2 * step)
      edges.push_back({task, task + step, 1, 1});
  return {tasks, std::move(edges)};
}

} // namespace thalweg::place

// SPDX-License-Identifier: BSD-3-Clause
#include "topology/grid_routes.hpp"

#include "base/arithmetic.hpp"

#include <algorithm>
#include <cstdlib>

namespace thalweg::topology {

namespace {

/// Shortest routes that go one way in each dimension.
struct Box {
  std::vector<std::size_t> dimensions; // in which there are steps to go
  std::vector<std::int64_t> steps;     // below 0 backward
};

void append_box(const Grid& grid, Place from, const Box& box, double weight, std::vector<LinkShare>& route) {
  std::int64_t cells = 1;
  for (const std::int64_t steps : box.steps)
    cells *= std::abs(steps) + 1;
  std::vector<double> chance(static_cast<std::size_t>(cells));
  chance[0] = weight;
  std::vector<std::int64_t> done(box.steps.size());
  for (std::int64_t cell = 0; cell < cells; ++cell) {
    Place at = from;
    std::int64_t left = 0;
    for (std::size_t i = 0; i < done.size(); ++i) {
      left += std::abs(box.steps[i]) - done[i];
      at = grid.neighbor(at, box.dimensions[i],
                         static_cast<std::int32_t>(box.steps[i] < 0 ? -done[i] : done[i]));
    }
    std::int64_t stride = 1;
    for (std::size_t i = 0; i < done.size(); ++i) {
      const std::int64_t ahead = std::abs(box.steps[i]) - done[i];
      if (ahead > 0) {
        const double share =
            chance[static_cast<std::size_t>(cell)] * static_cast<double>(ahead) / static_cast<double>(left);
        chance[static_cast<std::size_t>(cell + stride)] += share;
        route.push_back({grid_link(grid, at, box.dimensions[i], box.steps[i] > 0), share});
      }
      stride *= std::abs(box.steps[i]) + 1;
    }
    for (std::size_t i = 0; i < done.size() && ++done[i] > std::abs(box.steps[i]); ++i)
      done[i] = 0;
  }
}

/// Puts together what the same link carries, from `begin` on.
void merge_shares(std::vector<LinkShare>& route, std::size_t begin) {
  std::sort(route.begin() + static_cast<std::ptrdiff_t>(begin), route.end(),
            [](const LinkShare& a, const LinkShare& b) { return a.link < b.link; });
  std::size_t kept = begin;
  for (std::size_t i = begin; i < route.size(); ++i)
    if (kept > begin && route[kept - 1].link == route[i].link)
      route[kept - 1].share += route[i].share;
    else
      route[kept++] = route[i];
  route.resize(kept);
}

} // namespace

std::int64_t steps_ahead(const Grid& grid, Place from, Place to, std::size_t dimension) {
  const std::int64_t extent = grid.extent(dimension);
  std::int64_t ahead = grid.coordinate(to, dimension) - grid.coordinate(from, dimension);
  if (grid.wraps()) {
    ahead = modulo(ahead, extent);
    if (2 * ahead > extent)
      ahead -= extent;
  }
  return ahead;
}

void append_adaptive_route(const Grid& grid, Place from, Place to, std::vector<LinkShare>& route) {
  Box box;
  std::vector<std::size_t> ties; // of box.steps: both ways are as long
  for (std::size_t dimension = 0; dimension < grid.dimensions(); ++dimension)
    if (const std::int64_t steps = steps_ahead(grid, from, to, dimension); steps != 0) {
      if (grid.wraps() && 2 * steps == grid.extent(dimension))
        ties.push_back(box.steps.size());
      box.dimensions.push_back(dimension);
      box.steps.push_back(steps);
    }
  const std::size_t begin = route.size();
  const auto ways = std::size_t{1} << ties.size();
  for (std::size_t way = 0; way < ways; ++way) {
    for (std::size_t i = 0; i < ties.size(); ++i)
      box.steps[ties[i]] = std::abs(box.steps[ties[i]]) * ((way >> i & 1) == 0 ? 1 : -1);
    append_box(grid, from, box, 1 / static_cast<double>(ways), route);
  }
  if (!ties.empty())
    merge_shares(route, begin);
}

} // namespace thalweg::topology

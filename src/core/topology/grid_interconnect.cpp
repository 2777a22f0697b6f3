// SPDX-License-Identifier: BSD-3-Clause
#include "topology/grid_interconnect.hpp"

#include "base/arithmetic.hpp"
#include "base/assertion.hpp"
#include "topology/grid.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>

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

[[maybe_unused]] double carried(const std::vector<LinkShare>& route, std::size_t begin) {
  double sum = 0;
  for (std::size_t i = begin; i < route.size(); ++i)
    sum += route[i].share;
  return sum;
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
  THALWEG_ASSERT(normal, std::abs(ahead) < extent);
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
  // All of the bytes take a link for each hop.
  THALWEG_ASSERT(heavy, std::abs(carried(route, begin) - static_cast<double>(grid.hops(from, to))) < 1e-6);
}

namespace {

constexpr std::int32_t max_per_switch = 1 << 20;

Grid grid_of(const InterconnectName& name) {
  std::vector<std::int32_t> extents = parse_extents(name.body.substr(0, name.body.find('*')));
  if (extents.empty())
    name.refuse("is no mesh or torus",
                "write torus:XxY…, mesh:XxY…, or torus:XxY…*NODES for several on a switch");
  return Grid(std::move(extents), name.kind == "torus");
}

double mean_steps(std::int64_t extent, bool wraps) {
  const auto n = static_cast<double>(extent);
  if (!wraps)
    return (n * n - 1) / (3 * n);
  return extent % 2 == 0 ? n / 4 : (n * n - 1) / (4 * n);
}

} // namespace

GridInterconnect::GridInterconnect(const InterconnectName& name) : grid_(grid_of(name)) {
  if (const std::size_t star = name.body.find('*'); star != std::string::npos) {
    const std::string_view counts = std::string_view(name.body).substr(star + 1);
    const std::size_t plus = std::min(counts.find('+'), counts.size());
    const std::vector<std::int32_t> nodes = parse_extents(counts.substr(0, plus));
    const std::vector<std::int32_t> spare =
        plus < counts.size() ? parse_extents(counts.substr(plus + 1)) : std::vector<std::int32_t>{0};
    if (nodes.size() != 1 || spare.size() != 1 || std::max(nodes[0], spare[0]) > max_per_switch)
      name.refuse("does not say how many nodes a switch has",
                  "write torus:4x4x4*16, or *16+2 with two that take no ranks");
    nodes_per_switch_ = nodes[0];
    spare_per_switch_ = spare[0];
    has_node_links_ = true;
  }
  settle(name);
}

GridInterconnect::GridInterconnect(Grid grid, const InterconnectName& name) : grid_(std::move(grid)) {
  settle(name);
}

void GridInterconnect::settle(const InterconnectName& name) {
  const std::size_t groups = grid_.dimensions() + (has_node_links_ ? 1 : 0);
  if (!name.capacities.empty() && name.capacities.size() != groups)
    name.refuse(fmt::format("has {} capacities", name.capacities.size()),
                fmt::format("give {}: one a dimension, then one for nodes' links if there are any", groups));
  if (name.routing == Routing::spread || !name.distances.empty())
    name.refuse("has an option of trees", "meshes and tori have route=split, route=adaptive and capacity=");
  if (grid_.places() > INT64_MAX / 4 / per_switch() / static_cast<Link>(groups))
    name.refuse("has too many nodes", "choose smaller extents");
  options_ = name;
}

std::string GridInterconnect::name() const {
  std::string text = grid_.name();
  if (has_node_links_)
    text += fmt::format("*{}", nodes_per_switch_);
  if (spare_per_switch_ > 0)
    text += fmt::format("+{}", spare_per_switch_);
  return text + options_text(options_);
}

std::int64_t GridInterconnect::hops(Place a, Place b) const {
  return a == b ? 0 : grid_.hops(switch_place(a), switch_place(b)) + node_links();
}

double GridInterconnect::mean_hops() const {
  if (nodes() == 1)
    return 0;
  double switches = 0;
  for (const std::int32_t extent : grid_.extents())
    switches += mean_steps(extent, grid_.wraps());
  const auto count = static_cast<double>(nodes());
  return switches * count / (count - 1) + static_cast<double>(node_links());
}

double GridInterconnect::bisection() const {
  double weakest = 0;
  for (std::size_t dimension = 0; dimension < grid_.dimensions(); ++dimension) {
    const std::int32_t extent = grid_.extent(dimension);
    if (extent < 2)
      continue;
    const Capacity rate = options_.capacities.empty() ? Capacity{} : options_.capacities[dimension];
    // Fixed routes go forward between two neighbors that are so both ways round.
    const bool is_double = grid_.wraps() && (extent > 2 || options_.routing != Routing::fixed);
    const double crossing = is_double       ? rate.forward + rate.backward
                            : grid_.wraps() ? rate.forward
                                            : std::min(rate.forward, rate.backward);
    const double all = crossing * static_cast<double>(grid_.places() / extent);
    weakest = weakest == 0 ? all : std::min(weakest, all);
  }
  return weakest;
}

LinkEnds GridInterconnect::ends(Link link) const {
  THALWEG_ASSERT(normal, link >= 0 && link < links());
  if (link >= first_node_link()) {
    const Place node = (link - first_node_link()) / 2;
    const Vertex at = vertex(switch_place(node));
    return link % 2 == 0 ? LinkEnds{node, at} : LinkEnds{at, node};
  }
  const auto dimensions = static_cast<Link>(grid_.dimensions());
  const Place place = link / 2 / dimensions;
  const auto dimension = static_cast<std::size_t>(link / 2 % dimensions);
  const Place next = grid_.neighbor(place, dimension, link % 2 == 0 ? 1 : -1);
  return next < 0 || next == place ? LinkEnds{} : LinkEnds{vertex(place), vertex(next)};
}

void GridInterconnect::append_route(Place from, Place to, std::vector<LinkShare>& route) const {
  THALWEG_ASSERT(normal, from >= 0 && from < nodes() && to >= 0 && to < nodes());
  if (from == to)
    return;
  if (has_node_links())
    route.push_back({first_node_link() + 2 * from, 1});
  if (options_.routing == Routing::adaptive)
    append_adaptive_route(grid_, switch_place(from), switch_place(to), route);
  else
    append_in_order(switch_place(from), switch_place(to), route);
  if (has_node_links())
    route.push_back({first_node_link() + 2 * to + 1, 1});
}

void GridInterconnect::append_in_order(Place from, Place to, std::vector<LinkShare>& route) const {
  for (std::size_t dimension = 0; dimension < grid_.dimensions(); ++dimension) {
    std::int64_t ahead = steps_ahead(grid_, from, to, dimension);
    const bool both =
        options_.routing == Routing::split && grid_.wraps() && 2 * ahead == grid_.extent(dimension);
    Place backward = from;
    for (std::int64_t step = 0; both && step < ahead; ++step) {
      route.push_back({grid_link(grid_, backward, dimension, false), 0.5});
      backward = grid_.neighbor(backward, dimension, -1);
    }
    const std::int32_t step = ahead < 0 ? -1 : 1;
    for (; ahead != 0; ahead -= step) {
      route.push_back({grid_link(grid_, from, dimension, step > 0), both ? 0.5 : 1});
      from = grid_.neighbor(from, dimension, step);
    }
  }
}

double GridInterconnect::capacity(Link link) const {
  if (options_.capacities.empty())
    return 1;
  const auto dimensions = static_cast<Link>(grid_.dimensions());
  const Capacity& rate =
      options_.capacities[link >= first_node_link() ? grid_.dimensions()
                                                    : static_cast<std::size_t>(link / 2 % dimensions)];
  return link % 2 == 0 ? rate.forward : rate.backward;
}

std::string GridInterconnect::link_name(Link link) const {
  if (link >= first_node_link())
    return fmt::format("node {} {}", (link - first_node_link()) / 2, link % 2 == 0 ? "up" : "down");
  const auto dimensions = static_cast<Link>(grid_.dimensions());
  const Place place = link / 2 / dimensions;
  const auto dimension = static_cast<std::size_t>(link / 2 % dimensions);
  std::vector<std::int32_t> coordinates;
  for (std::size_t each = 0; each < grid_.dimensions(); ++each)
    coordinates.push_back(grid_.coordinate(place, each));
  constexpr std::string_view letters = "xyzuvw";
  const std::string axis =
      dimension < letters.size() ? std::string(1, letters[dimension]) : fmt::format("d{}", dimension);
  return fmt::format("({}){}{}", fmt::join(coordinates, ","), link % 2 == 0 ? '+' : '-', axis);
}

} // namespace thalweg::topology

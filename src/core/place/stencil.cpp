// SPDX-License-Identifier: BSD-3-Clause
#include "place/stencil.hpp"

#include "place/mapping.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace thalweg::place {

namespace {

/// The neighbors of a corner by the dimension in which they are its neighbors: two are of the same where they
/// talk to each other, or have no other common neighbor. O(degree^2) for cliques, O(degree^3) at most.
std::vector<std::vector<std::int32_t>> axes_at(const Graph& graph, std::int32_t corner) {
  const auto neighbors = graph.neighbors(corner);
  std::vector<std::size_t> axis_of(neighbors.size(), neighbors.size());
  std::vector<std::vector<std::int32_t>> axes;
  std::vector<std::int32_t> near(at(graph.vertices()), -1); // to which neighbor a task was last seen to talk
  for (std::size_t one = 0; one < neighbors.size(); ++one) {
    if (axis_of[one] < neighbors.size())
      continue;
    for (const std::int32_t other : graph.neighbors(neighbors[one]))
      near[at(other)] = neighbors[one];
    const auto is_near = [&](std::int32_t task) {
      return near[at(task)] == neighbors[one] && task != corner;
    };
    axes.push_back({neighbors[one]});
    axis_of[one] = axes.size() - 1;
    for (std::size_t other = one + 1; other < neighbors.size(); ++other)
      if (axis_of[other] == neighbors.size() &&
          (is_near(neighbors[other]) || std::ranges::none_of(graph.neighbors(neighbors[other]), is_near))) {
        axis_of[other] = axes.size() - 1;
        axes.back().push_back(neighbors[other]);
      }
  }
  return axes;
}

/// Gives coordinates from a corner outward; on rings first from -extent / 2 on, with the corner at 0.
class Surveyor {
public:
  Surveyor(const Graph& graph, std::int32_t corner, const std::vector<std::vector<std::int32_t>>& axes)
      : graph_(graph), dimensions_(axes.size()), level_(at(graph.vertices()), -1),
        coordinates_(at(graph.vertices()) * axes.size()) {
    level_[at(corner)] = 0;
    order_.push_back(corner);
    for (std::size_t dimension = 0; dimension < dimensions_; ++dimension) {
      const std::vector<std::int32_t>& axis = axes[dimension];
      shapes_.push_back(axis.size() == 1 ? Shape::row : axis.size() == 2 ? Shape::ring : Shape::clique);
      for (std::size_t index = 0; index < axis.size(); ++index) {
        level_[at(axis[index])] = 1;
        order_.push_back(axis[index]);
        of(axis[index])[dimension] =
            shapes_.back() == Shape::ring && index == 1 ? -1 : static_cast<std::int32_t>(index) + 1;
      }
    }
  }

  std::optional<Stencil> stencil() {
    for (std::size_t next = 1; next < order_.size(); ++next)
      survey(order_[next]);
    Stencil found{std::vector<std::int32_t>(dimensions_, 1), shapes_, {}, 1};
    std::int64_t places = 1;
    for (std::size_t dimension = 0; dimension < dimensions_; ++dimension) {
      std::int32_t first = 0;
      std::int32_t last = 0;
      for (const std::int32_t task : order_) {
        first = std::min(first, of(task)[dimension]);
        last = std::max(last, of(task)[dimension]);
      }
      const std::int32_t extent = last - first + 1;
      found.extents[dimension] = extent;
      if ((places *= extent) > static_cast<std::int64_t>(order_.size()))
        return std::nullopt;
      for (const std::int32_t task : order_)
        if (of(task)[dimension] < 0)
          of(task)[dimension] += extent;
    }
    if (places != static_cast<std::int64_t>(order_.size()) || !is_product(found.extents))
      return std::nullopt;
    found.places = static_cast<std::int32_t>(places);
    for (std::size_t task = 0; task < level_.size(); ++task)
      if (level_[task] < 0)
        std::fill_n(coordinates_.begin() + static_cast<std::ptrdiff_t>(task * dimensions_), dimensions_, -1);
    found.coordinates = std::move(coordinates_);
    return found;
  }

private:
  std::int32_t* of(std::int32_t task) { return coordinates_.data() + at(task) * dimensions_; }

  /// The dimension of a task that differs from the corner in one alone; none else.
  std::optional<std::size_t> axis_of(std::int32_t task) {
    std::optional<std::size_t> axis;
    for (std::size_t dimension = 0; dimension < dimensions_; ++dimension)
      if (of(task)[dimension] != 0) {
        if (axis)
          return std::nullopt;
        axis = dimension;
      }
    return axis;
  }

  /// Gives a task its coordinates, and notes its neighbors that are farther from the corner.
  void survey(std::int32_t task) {
    std::optional<std::size_t> axis;
    bool is_on_axis = level_[at(task)] > 1;
    for (const std::int32_t other : graph_.neighbors(task)) {
      if (level_[at(other)] < 0) {
        level_[at(other)] = level_[at(task)] + 1;
        order_.push_back(other);
      }
      if (level_[at(other)] >= level_[at(task)] || level_[at(task)] < 2)
        continue;
      for (std::size_t dimension = 0; dimension < dimensions_; ++dimension)
        if (std::abs(of(other)[dimension]) > std::abs(of(task)[dimension]))
          of(task)[dimension] = of(other)[dimension];
      const auto own = axis_of(other);
      is_on_axis = is_on_axis && own && (!axis || axis == own);
      axis = own;
    }
    if (is_on_axis && axis)
      of(task)[*axis] += of(task)[*axis] < 0 ? -1 : 1;
  }

  bool is_step(std::size_t dimension, std::int32_t extent, std::int32_t apart) const {
    return shapes_[dimension] == Shape::clique || apart == 1 ||
           (shapes_[dimension] == Shape::ring && apart == extent - 1);
  }

  bool is_product(const std::vector<std::int32_t>& extents) {
    std::vector<bool> is_taken(order_.size());
    std::size_t expected = 0;
    for (std::size_t dimension = 0; dimension < dimensions_; ++dimension) {
      const std::size_t extent = at(extents[dimension]);
      const std::size_t entries = shapes_[dimension] == Shape::row    ? 2 * (extent - 1)
                                  : shapes_[dimension] == Shape::ring ? 2 * extent
                                                                      : extent * (extent - 1);
      expected += order_.size() / extent * entries;
    }
    std::size_t entries = 0;
    for (const std::int32_t task : order_) {
      std::size_t place = 0;
      for (std::size_t dimension = dimensions_; dimension-- > 0;)
        place = place * at(extents[dimension]) + at(of(task)[dimension]);
      if (is_taken[place])
        return false;
      is_taken[place] = true;
      for (const std::int32_t other : graph_.neighbors(task)) {
        int differ = 0;
        for (std::size_t dimension = 0; dimension < dimensions_; ++dimension)
          if (const std::int32_t apart = std::abs(of(task)[dimension] - of(other)[dimension]); apart != 0)
            differ += is_step(dimension, extents[dimension], apart) ? 1 : 2;
        if (differ != 1)
          return false;
        ++entries;
      }
    }
    return entries == expected;
  }

  const Graph& graph_;
  std::size_t dimensions_;
  std::vector<Shape> shapes_;
  std::vector<std::int32_t> level_;
  std::vector<std::int32_t> coordinates_;
  std::vector<std::int32_t> order_;
};

} // namespace

bool Stencil::is_mesh() const {
  return std::ranges::all_of(shapes, [](Shape shape) { return shape == Shape::row; });
}

std::optional<Stencil> recognized(const Graph& graph) {
  constexpr std::size_t dimensions_max = 30; // of a hypercube with as many tasks as numbers
  constexpr std::size_t degree_max = 1024;   // of a corner that lies in cliques
  std::int32_t corner = -1;
  std::int32_t talking = 0;
  for (std::int32_t task = 0; task < graph.vertices(); ++task)
    if (graph.degree(task) > 0) {
      ++talking;
      if (corner < 0 || graph.degree(task) < graph.degree(corner))
        corner = task;
    }
  if (corner < 0 || graph.degree(corner) > degree_max)
    return std::nullopt;
  const std::vector<std::vector<std::int32_t>> axes = axes_at(graph, corner);
  if (axes.size() > dimensions_max)
    return std::nullopt;
  auto found = Surveyor(graph, corner, axes).stencil();
  return found && found->places == talking ? std::move(found) : std::nullopt;
}

} // namespace thalweg::place

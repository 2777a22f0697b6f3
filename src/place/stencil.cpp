#include "place/stencil.hpp"

#include "place/index.hpp"

#include <algorithm>
#include <cstdlib>

namespace thalweg::place {

namespace {

/// Gives coordinates from a corner outward.
class Surveyor {
public:
  Surveyor(const Graph& graph, std::int32_t corner) : graph_(graph), dimensions_(graph.degree(corner)) {
    level_.assign(at(graph.vertices()), -1);
    coordinates_.assign(at(graph.vertices()) * dimensions_, 0);
    level_[at(corner)] = 0;
    order_.push_back(corner);
  }

  bool survey() {
    std::size_t axes = 0;
    for (std::size_t next = 0; next < order_.size(); ++next) {
      const std::int32_t task = order_[next];
      std::size_t nearer = 0;
      std::int32_t last = -1;
      for (const std::int32_t other : graph_.neighbors(task)) {
        if (level_[at(other)] < 0) {
          level_[at(other)] = level_[at(task)] + 1;
          order_.push_back(other);
        } else if (level_[at(other)] < level_[at(task)]) {
          ++nearer;
          last = other;
          for (std::size_t dimension = 0; dimension < dimensions_; ++dimension)
            of(task)[dimension] = std::max(of(task)[dimension], of(other)[dimension]);
        }
      }
      if (nearer != 1)
        continue;
      // On an axis: the next one from the corner, or the same as before.
      std::size_t axis = level_[at(last)] == 0 ? axes++ : 0;
      while (level_[at(last)] > 0 && axis + 1 < dimensions_ && of(last)[axis] == 0)
        ++axis;
      if (axis >= dimensions_)
        return false;
      ++of(task)[axis];
    }
    return true;
  }

  std::optional<Stencil> stencil() {
    Stencil found{std::vector<std::int32_t>(dimensions_, 1), {}, 1};
    for (const std::int32_t task : order_)
      for (std::size_t dimension = 0; dimension < dimensions_; ++dimension)
        found.extents[dimension] = std::max(found.extents[dimension], of(task)[dimension] + 1);
    std::int64_t places = 1;
    for (const std::int32_t extent : found.extents)
      if ((places *= extent) > static_cast<std::int64_t>(order_.size()))
        return std::nullopt;
    if (places != static_cast<std::int64_t>(order_.size()) || !is_mesh(found.extents))
      return std::nullopt;
    found.places = static_cast<std::int32_t>(places);
    found.coordinates = std::move(coordinates_);
    return found;
  }

private:
  std::int32_t* of(std::int32_t task) { return coordinates_.data() + at(task) * dimensions_; }

  bool is_mesh(const std::vector<std::int32_t>& extents) {
    std::vector<bool> is_taken(order_.size());
    std::size_t expected = 0;
    for (const std::int32_t extent : extents)
      expected += 2 * (order_.size() / at(extent)) * at(extent - 1);
    std::size_t entries = 0;
    for (const std::int32_t task : order_) {
      std::size_t place = 0;
      for (std::size_t dimension = dimensions_; dimension-- > 0;)
        place = place * at(extents[dimension]) + at(of(task)[dimension]);
      if (is_taken[place])
        return false;
      is_taken[place] = true;
      for (const std::int32_t other : graph_.neighbors(task)) {
        std::int32_t steps = 0;
        for (std::size_t dimension = 0; dimension < dimensions_; ++dimension)
          steps += std::abs(of(task)[dimension] - of(other)[dimension]);
        if (steps != 1)
          return false;
        ++entries;
      }
    }
    return entries == expected;
  }

  const Graph& graph_;
  std::size_t dimensions_;
  std::vector<std::int32_t> level_;
  std::vector<std::int32_t> coordinates_;
  std::vector<std::int32_t> order_;
};

} // namespace

std::optional<Stencil> recognized(const Graph& graph) {
  constexpr std::size_t dimensions_max = 30; // of a hypercube with as many tasks as numbers
  std::int32_t corner = -1;
  std::int32_t talking = 0;
  for (std::int32_t task = 0; task < graph.vertices(); ++task)
    if (graph.degree(task) > 0) {
      ++talking;
      if (corner < 0 || graph.degree(task) < graph.degree(corner))
        corner = task;
    }
  if (corner < 0 || graph.degree(corner) > dimensions_max)
    return std::nullopt;
  Surveyor surveyor(graph, corner);
  if (!surveyor.survey())
    return std::nullopt;
  auto found = surveyor.stencil();
  return found && found->places == talking ? std::move(found) : std::nullopt;
}

} // namespace thalweg::place

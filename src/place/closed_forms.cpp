#include "place/stencil.hpp"

#include "place/index.hpp"
#include "topology/hilbert.hpp"
#include "topology/tour.hpp"

#include <algorithm>
#include <numeric>

namespace thalweg::place {

namespace {

using Numbers = std::vector<std::int32_t>;

/// The slots as a box of the grid, each place once; its sides, and where each dimension begins.
struct Box {
  Numbers first;
  Numbers sides;
  Numbers slots; ///< by place in the box, dimension 0 fastest
};

std::optional<Box> box_of(const Distances& distances) {
  Box box;
  std::int64_t places = 1;
  for (std::size_t dimension = 0; dimension < distances.dimensions(); ++dimension) {
    std::int32_t low = distances.coordinates(0)[dimension];
    std::int32_t high = low;
    for (std::int32_t slot = 0; slot < distances.slots(); ++slot) {
      low = std::min(low, distances.coordinates(slot)[dimension]);
      high = std::max(high, distances.coordinates(slot)[dimension]);
    }
    box.first.push_back(low);
    box.sides.push_back(high - low + 1);
    if ((places *= box.sides.back()) > distances.slots())
      return std::nullopt;
  }
  if (places != distances.slots() || box.sides.empty())
    return std::nullopt;
  box.slots.assign(at(distances.slots()), -1);
  for (std::int32_t slot = 0; slot < distances.slots(); ++slot) {
    std::size_t place = 0;
    for (std::size_t dimension = box.sides.size(); dimension-- > 0;)
      place = place * at(box.sides[dimension]) +
              at(distances.coordinates(slot)[dimension] - box.first[dimension]);
    if (box.slots[place] >= 0)
      return std::nullopt;
    box.slots[place] = slot;
  }
  return box;
}

/// Which side of the box each extent of the stencil goes along, so that the extents on a side multiply up to
/// it; longest first. False where nothing fits.
bool assign(const Numbers& extents, std::size_t next, Numbers& left, Numbers& side_of) {
  if (next == extents.size())
    return std::ranges::all_of(left, [](std::int32_t rest) { return rest == 1; });
  for (std::size_t side = 0; side < left.size(); ++side)
    if (left[side] % extents[next] == 0) {
      left[side] /= extents[next];
      side_of[next] = static_cast<std::int32_t>(side);
      if (assign(extents, next + 1, left, side_of))
        return true;
      left[side] *= extents[next];
    }
  return false;
}

/// The order of tasks with coordinates: along a Hilbert curve through them.
Numbers curve(const Stencil& stencil, const Graph& graph) {
  const std::size_t dimensions = stencil.extents.size();
  const topology::HilbertCurve hilbert(stencil.extents);
  Numbers tasks;
  std::vector<std::uint64_t> keys(at(graph.vertices()));
  for (std::int32_t task = 0; task < graph.vertices(); ++task)
    if (graph.degree(task) > 0) {
      tasks.push_back(task);
      keys[at(task)] = hilbert.key(std::span(stencil.coordinates).subspan(at(task) * dimensions, dimensions));
    }
  std::ranges::sort(tasks, {}, [&](std::int32_t task) { return keys[at(task)]; });
  return tasks;
}

Mapping filled(Slots slot_of) {
  std::vector<bool> is_used(slot_of.size());
  for (const std::int32_t slot : slot_of)
    if (slot >= 0)
      is_used[at(slot)] = true;
  std::size_t free = 0;
  for (std::int32_t& slot : slot_of)
    if (slot < 0) {
      while (is_used[free])
        ++free;
      is_used[free] = true;
      slot = static_cast<std::int32_t>(free);
    }
  return Mapping::of(std::move(slot_of));
}

/// Several extents on one side are nested: the first varies fastest.
Mapping on_box(const Stencil& stencil, const Graph& graph, const Box& box, const Numbers& side_of) {
  const std::size_t dimensions = stencil.extents.size();
  Slots slot_of(at(graph.vertices()), -1);
  for (std::int32_t task = 0; task < graph.vertices(); ++task) {
    if (graph.degree(task) == 0)
      continue;
    Numbers position(box.sides.size(), 0);
    Numbers stride(box.sides.size(), 1);
    for (std::size_t dimension = dimensions; dimension-- > 0;) {
      const std::size_t side = at(side_of[dimension]);
      position[side] += stencil.coordinates[at(task) * dimensions + dimension] * stride[side];
      stride[side] *= stencil.extents[dimension];
    }
    std::size_t place = 0;
    for (std::size_t side = box.sides.size(); side-- > 0;)
      place = place * at(box.sides[side]) + at(position[side]);
    slot_of[at(task)] = box.slots[place];
  }
  return filled(std::move(slot_of));
}

} // namespace

std::vector<Mapping> closed_forms(const Stencil& stencil, const Graph& graph, const Distances& distances) {
  std::vector<Mapping> found;
  if (distances.dimensions() == 0)
    return found;
  if (const auto box = box_of(distances); box && stencil.places == distances.slots()) {
    // The longest extents choose first: they fit the fewest sides.
    Stencil sorted = stencil;
    Numbers order(stencil.extents.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::greater{},
                             [&](std::int32_t dimension) { return stencil.extents[at(dimension)]; });
    for (std::size_t dimension = 0; dimension < order.size(); ++dimension) {
      sorted.extents[dimension] = stencil.extents[at(order[dimension])];
      for (std::size_t task = 0; task < at(graph.vertices()); ++task)
        sorted.coordinates[task * order.size() + dimension] =
            stencil.coordinates[task * order.size() + at(order[dimension])];
    }
    Numbers left = box->sides;
    Numbers side_of(order.size());
    if (assign(sorted.extents, 0, left, side_of))
      found.push_back(on_box(sorted, graph, *box, side_of));
  }
  std::int64_t bits = 0;
  for (const std::int32_t extent : stencil.extents)
    for (std::int32_t left = extent - 1; left > 0; left /= 2)
      ++bits;
  constexpr std::int64_t bits_max = 62; // of a curve's key
  if (bits > bits_max)
    return found;
  const topology::Grid& grid = *distances.allocation().interconnect->grid();
  const Numbers tour = topology::tour(grid, distances.allocation().slots);
  const Numbers tasks = curve(stencil, graph);
  Slots slot_of(at(graph.vertices()), -1);
  for (std::size_t index = 0; index < tasks.size(); ++index)
    slot_of[at(tasks[index])] = tour[index];
  found.push_back(filled(std::move(slot_of)));
  return found;
}

} // namespace thalweg::place

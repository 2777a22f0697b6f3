// SPDX-License-Identifier: BSD-3-Clause
#include "base/assertion.hpp"
#include "place/mapping.hpp"
#include "place/stencil.hpp"
#include "topology/tour.hpp"

#include <algorithm>
#include <numeric>

namespace thalweg::place {

namespace {

using Numbers = std::vector<std::int32_t>;

/// The slots as a box of the grid, as many on each node: its sides, the first of which is within nodes.
struct Box {
  Numbers sides;
  std::vector<bool> wraps; ///< by side: are its ends neighbors?
  Numbers slots;           ///< by place in the box, the first side fastest
};

std::optional<Box> box_of(const Distances& distances) {
  Box box{{1}, {false}, {}};
  const topology::Grid& grid = *distances.allocation().interconnect->grid();
  Numbers first;
  std::int64_t places = 1;
  for (std::size_t dimension = 0; dimension < distances.dimensions(); ++dimension) {
    std::int32_t low = distances.coordinates(0)[dimension];
    std::int32_t high = low;
    for (std::int32_t slot = 0; slot < distances.slots(); ++slot) {
      low = std::min(low, distances.coordinates(slot)[dimension]);
      high = std::max(high, distances.coordinates(slot)[dimension]);
    }
    first.push_back(low);
    box.sides.push_back(high - low + 1);
    box.wraps.push_back(grid.wraps() && high - low + 1 == grid.extent(dimension));
    if ((places *= box.sides.back()) > distances.slots())
      return std::nullopt;
  }
  if (distances.slots() % places != 0 || first.empty())
    return std::nullopt;
  box.sides.front() = static_cast<std::int32_t>(distances.slots() / places);
  box.slots.assign(at(distances.slots()), -1);
  for (std::int32_t slot = 0; slot < distances.slots(); ++slot) {
    std::size_t place = 0;
    for (std::size_t dimension = first.size(); dimension-- > 0;)
      place = place * at(box.sides[dimension + 1]) +
              at(distances.coordinates(slot)[dimension] - first[dimension]);
    const auto own = std::span(box.slots).subspan(place * at(box.sides.front()), at(box.sides.front()));
    const auto free = std::ranges::find(own, -1);
    if (free == own.end())
      return std::nullopt;
    *free = slot;
  }
  return box;
}

/// For each extent and side the part of the extent that goes along the side. The parts of an extent multiply
/// up to it, and those on a side to the side.
using Split = std::vector<Numbers>;

/// Finds splits, those with few parts first.
class Splits {
public:
  Splits(const Numbers& extents, const Numbers& sides)
      : extents_(extents), left_(sides), split_(extents.size(), Numbers(sides.size(), 1)) {
    // The longest extents choose first: they fit the fewest sides.
    order_.resize(extents.size());
    std::iota(order_.begin(), order_.end(), 0);
    std::ranges::stable_sort(order_, std::greater{},
                             [&](std::size_t dimension) { return extents[dimension]; });
    choose(0, 0, extents.empty() ? 1 : extents[order_.front()]);
    std::ranges::stable_sort(found_, {}, parts);
  }
  std::vector<Split> take() { return std::move(found_); }

private:
  static std::int64_t parts(const Split& split) {
    std::int64_t count = 0;
    for (const Numbers& row : split)
      count += std::ranges::count_if(row, [](std::int32_t part) { return part > 1; });
    return count;
  }

  void choose(std::size_t next, std::size_t side, std::int32_t rest) {
    constexpr std::size_t found_max = 256;
    constexpr std::int32_t steps_max = 20000;
    if (found_.size() >= found_max || ++steps_ > steps_max)
      return;
    if (next == order_.size()) {
      found_.push_back(split_);
      return;
    }
    if (side == left_.size()) {
      if (rest == 1)
        choose(next + 1, 0, next + 1 < order_.size() ? extents_[order_[next + 1]] : 1);
      return;
    }
    const std::int32_t common = std::gcd(left_[side], rest);
    for (std::int32_t part = common; part > 0; --part) {
      if (common % part != 0)
        continue;
      left_[side] /= part;
      split_[order_[next]][side] = part;
      choose(next, side + 1, rest / part);
      split_[order_[next]][side] = 1;
      left_[side] *= part;
    }
  }

  const Numbers& extents_;
  Numbers left_;
  Split split_;
  std::vector<std::size_t> order_;
  std::vector<Split> found_;
  std::int32_t steps_ = 0;
};

/// The order of tasks with coordinates: along a Hilbert curve through them.
Numbers curve(const Stencil& stencil, const Graph& graph) {
  const std::size_t dimensions = stencil.extents.size();
  const topology::HilbertCurve hilbert(stencil.extents);
  Numbers tasks;
  std::vector<std::uint64_t> keys(at(graph.vertices()));
  for (std::int32_t task = 0; task < graph.vertices(); ++task)
    if (stencil.has_place(task)) {
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

/// How parts are nested where several extents are on a side.
struct Nesting {
  bool is_last_fastest;
  bool
      turns; ///< a faster part runs back where a slower one is odd, so that places next to each other stay so
};

/// The order of an extent's parts by side, fastest first. A ring ends where it began if its slowest part is a
/// pair, or goes around the machine.
std::vector<std::size_t> order_of_parts(Shape shape, const Numbers& parts, const Box& box) {
  std::vector<std::size_t> sides;
  for (std::size_t side = 0; side < parts.size(); ++side)
    if (parts[side] > 1)
      sides.push_back(side);
  if (shape != Shape::ring)
    return sides;
  const auto closes = std::ranges::find_if(sides, [&](std::size_t side) {
    return parts[side] == 2 || (box.wraps[side] && parts[side] == box.sides[side]);
  });
  if (closes != sides.end())
    std::rotate(closes, closes + 1, sides.end());
  return sides;
}

/// An extent of several parts is folded: the next place differs in one part, by one.
Mapping on_box(const Stencil& stencil, const Graph& graph, const Box& box, const Split& split,
               Nesting nesting) {
  const std::size_t dimensions = stencil.extents.size();
  std::vector<std::vector<std::size_t>> sides_of;
  for (std::size_t dimension = 0; dimension < dimensions; ++dimension)
    sides_of.push_back(order_of_parts(stencil.shapes[dimension], split[dimension], box));
  const auto turned = [](std::int32_t place, std::int32_t extent, std::int32_t slower) {
    return slower % 2 == 0 ? place : extent - 1 - place;
  };
  Slots slot_of(at(graph.vertices()), -1);
  Split digits = split;
  for (std::int32_t task = 0; task < graph.vertices(); ++task) {
    if (!stencil.has_place(task))
      continue;
    for (std::size_t dimension = 0; dimension < dimensions; ++dimension) {
      std::int32_t rest = stencil.coordinates[at(task) * dimensions + dimension];
      for (const std::size_t side : sides_of[dimension]) {
        const std::int32_t part = split[dimension][side];
        const std::int32_t slower = rest / part;
        digits[dimension][side] =
            stencil.shapes[dimension] == Shape::clique ? rest % part : turned(rest % part, part, slower);
        rest = slower;
      }
    }
    std::size_t place = 0;
    for (std::size_t side = box.sides.size(); side-- > 0;) {
      std::int32_t position = 0;
      for (std::size_t index = 0; index < dimensions; ++index) {
        const std::size_t dimension = nesting.is_last_fastest ? index : dimensions - 1 - index;
        const std::int32_t part = split[dimension][side];
        if (part > 1)
          position = position * part + turned(digits[dimension][side], part, nesting.turns ? position : 0);
      }
      place = place * at(box.sides[side]) + at(position);
    }
    THALWEG_ASSERT(normal, place < box.slots.size());
    slot_of[at(task)] = box.slots[place];
  }
  return filled(std::move(slot_of));
}

} // namespace

void closed_forms(const Stencil& stencil, const Graph& graph, const Distances& distances,
                  const std::function<bool(const Mapping&)>& note) {
  if (distances.dimensions() == 0)
    return;
  if (const auto box = box_of(distances); box && stencil.places == distances.slots()) {
    constexpr std::size_t entries_max = 20'000'000; // of the graph, that are gone through for all mappings
    std::vector<Split> splits = Splits(stencil.extents, box->sides).take();
    splits.resize(std::min(splits.size(), entries_max / (4 * graph.entries()) + 1));
    for (const Split& split : splits)
      for (const Nesting nesting : {Nesting{false, false}, {false, true}, {true, false}, {true, true}})
        if (note(on_box(stencil, graph, *box, split, nesting)))
          return;
  }
  std::int64_t bits = 0;
  for (const std::int32_t extent : stencil.extents)
    for (std::int32_t left = extent - 1; left > 0; left /= 2)
      ++bits;
  constexpr std::int64_t bits_max = 62; // of a curve's key
  if (bits > bits_max)
    return;
  const topology::Grid& grid = *distances.allocation().interconnect->grid();
  const Numbers tour = topology::tour(grid, distances.allocation().slots);
  const Numbers tasks = curve(stencil, graph);
  Slots slot_of(at(graph.vertices()), -1);
  for (std::size_t index = 0; index < tasks.size(); ++index)
    slot_of[at(tasks[index])] = tour[index];
  note(filled(std::move(slot_of)));
}

} // namespace thalweg::place

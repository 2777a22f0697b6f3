#include "place/pinned.hpp"

#include "place/hop_bytes.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

namespace thalweg::place {

namespace {

using topology::Place;

/// The slots of each place, ascending.
std::map<Place, std::vector<std::int32_t>> slots_by_place(const machine::Allocation& allocation) {
  std::map<Place, std::vector<std::int32_t>> found;
  for (std::size_t slot = 0; slot < allocation.slots.size(); ++slot)
    found[allocation.slots[slot]].push_back(static_cast<std::int32_t>(slot));
  return found;
}

/// Gives tasks new slots, by where each of the old ones goes.
Mapping moved(const Mapping& mapping, const std::vector<std::int32_t>& to) {
  Slots slots = mapping.slot_of;
  for (std::int32_t& slot : slots)
    slot = to[static_cast<std::size_t>(slot)];
  return Mapping::of(std::move(slots));
}

/// Where the slots go if each place's contents go to another: nothing where those have not as many slots.
template <typename Goal>
std::optional<std::vector<std::int32_t>> slots_moved(const machine::Allocation& allocation, Goal goal) {
  const auto slots = slots_by_place(allocation);
  std::vector<std::int32_t> to(allocation.slots.size());
  for (const auto& [place, own] : slots) {
    const auto other = slots.find(goal(place));
    if (other == slots.end() || other->second.size() != own.size())
      return std::nullopt;
    for (std::size_t index = 0; index < own.size(); ++index)
      to[static_cast<std::size_t>(own[index])] = other->second[index];
  }
  return to;
}

/// The place that is as far from `to` as this one is from `from`, around the grid's dimensions.
Place shifted(const topology::Grid& grid, Place place, Place from, Place to) {
  Place result = 0;
  Place stride = 1;
  for (std::size_t dimension = 0; dimension < grid.dimensions(); ++dimension) {
    const Place extent = grid.extent(dimension);
    const auto at = [&](Place which) { return which / stride % extent; };
    result += (at(place) - at(from) + at(to) + extent) % extent * stride;
    stride *= extent;
  }
  return result;
}

/// Ways to bring the contents of one place to another: the two change places, or all of a ring or torus
/// moves.
std::vector<Mapping> turned(const Mapping& mapping, const machine::Allocation& allocation, Place from,
                            Place to) {
  std::vector<Mapping> ways;
  if (const auto swapped = slots_moved(allocation, [&](Place place) {
        return place == from ? to : place == to ? from : place;
      }))
    ways.push_back(moved(mapping, *swapped));
  const topology::Grid* const grid = allocation.interconnect->grid();
  if (grid == nullptr)
    return ways;
  if (const auto all = slots_moved(allocation, [&](Place place) { return shifted(*grid, place, from, to); }))
    ways.push_back(moved(mapping, *all));
  return ways;
}

/// Task 0 and whichever is on slot 0 change places.
void swap_first(Mapping& mapping) {
  if (mapping.slot(0) != 0)
    mapping.swap(0, mapping.task(0));
}

/// Swaps of tasks but the first, as long as they gain and time lasts.
void mend(Mapping& mapping, const Graph& graph, const Distances& distances, const Budget& budget) {
  HopBytes cost(graph, distances, mapping);
  for (bool gained = true; gained && !budget.is_over();) {
    gained = false;
    for (std::int32_t a = 1; a < mapping.size() && !budget.is_over(); ++a) {
      for (std::int32_t b = a + 1; b < mapping.size(); ++b) {
        if (const double change = cost.delta(a, b); change < -1e-9 * cost.value()) {
          cost.swap(a, b, change);
          gained = true;
        }
      }
    }
  }
}

} // namespace

Result map_pinned(const pattern::Pattern& pattern, const machine::Allocation& allocation,
                  const Options& options) {
  const Budget budget(options.seconds, options.proposals, options.clock);
  Options half = options;
  half.seconds = options.seconds / 2;
  Result result = map(pattern, allocation, half);
  if (result.is_identity() || result.slot_of.front() == 0)
    return result;
  const auto slots = static_cast<std::int32_t>(allocation.slots.size());
  const Graph graph(sum(pattern), slots);
  const Distances distances(allocation);
  Mapping found = Mapping::identity(slots);
  for (std::int32_t task = 0; task < pattern.tasks; ++task)
    found.swap(task, found.task(result.slot_of[static_cast<std::size_t>(task)]));
  const Place from = allocation.slots[static_cast<std::size_t>(found.slot(0))];
  std::vector<Mapping> ways = turned(found, allocation, from, allocation.slots.front());
  ways.push_back(found);
  double cost_min = std::numeric_limits<double>::max();
  for (Mapping& way : ways) {
    swap_first(way);
    mend(way, graph, distances, budget);
    Slots placed(way.slot_of.begin(), way.slot_of.begin() + pattern.tasks);
    const Metrics metrics_of_way = metrics(pattern, allocation, placed, options.base_load, options.costs);
    if (const double cost = value(options.goal, metrics_of_way, result.identity); cost < cost_min) {
      cost_min = cost;
      result.slot_of = std::move(placed);
      result.placed = metrics_of_way;
    }
  }
  if (cost_min >= 1) {
    const Slots all = Mapping::identity(slots).slot_of;
    result.slot_of.assign(all.begin(), all.begin() + pattern.tasks);
    result.placed = result.identity;
    result.method = "identity";
  }
  result.seconds = budget.elapsed();
  return result;
}

} // namespace thalweg::place

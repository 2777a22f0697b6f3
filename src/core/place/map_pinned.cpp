// SPDX-License-Identifier: BSD-3-Clause
#include "base/assertion.hpp"
#include "place/energy.hpp"
#include "place/link_search.hpp"
#include "place/map.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <optional>

namespace thalweg::place {

namespace {

using topology::Place;

/// The slots of each place, ascending; places are of slots.
std::map<Place, std::vector<std::int32_t>> slots_by_place(const std::vector<Place>& places) {
  std::map<Place, std::vector<std::int32_t>> found;
  for (std::size_t slot = 0; slot < places.size(); ++slot)
    found[places[slot]].push_back(static_cast<std::int32_t>(slot));
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
std::optional<std::vector<std::int32_t>> slots_moved(const std::vector<Place>& places, Goal goal) {
  const auto slots = slots_by_place(places);
  std::vector<std::int32_t> to(places.size());
  for (const auto& [place, own] : slots) {
    const auto other = slots.find(goal(place));
    if (other == slots.end() || other->second.size() != own.size())
      return std::nullopt;
    for (std::size_t index = 0; index < own.size(); ++index)
      to[static_cast<std::size_t>(own[index])] = other->second[index];
  }
  return to;
}

/// The place that is as far from `to` as this one is from `from`, around the grid's dimensions; those whose
/// bits are set in `mirrored`, the other way round.
Place shifted(const topology::Grid& grid, Place place, Place from, Place to, unsigned mirrored) {
  Place result = 0;
  Place stride = 1;
  for (std::size_t dimension = 0; dimension < grid.dimensions(); ++dimension) {
    const Place extent = grid.extent(dimension);
    const auto at = [&](Place which) { return which / stride % extent; };
    const Place ahead = (mirrored >> dimension & 1U) != 0 ? at(from) - at(place) : at(place) - at(from);
    result += (ahead + at(to) + extent) % extent * stride;
    stride *= extent;
  }
  return result;
}

/// Ways to bring the contents of one slot's node to another's: the two change places, or all of a ring or
/// torus, be it of nodes or of switches, moves and is mirrored. These differ where links do.
std::vector<Mapping> turned(const Mapping& mapping, const machine::Allocation& allocation, std::size_t from,
                            std::size_t to) {
  std::vector<Mapping> ways;
  std::vector<Place> places(allocation.slots.begin(), allocation.slots.end());
  if (const auto swapped = slots_moved(places, [&](Place place) {
        return place == places[from] ? places[to] : place == places[to] ? places[from] : place;
      }))
    ways.push_back(moved(mapping, *swapped));
  const topology::Interconnect& machine = *allocation.interconnect;
  const topology::Grid* const grid = machine.switch_grid();
  if (grid == nullptr)
    return ways;
  std::ranges::transform(places, places.begin(), [&](Place node) { return machine.switch_place(node); });
  constexpr std::size_t mirrored_max = 3; // dimensions
  const unsigned mirrors = 1U << std::min(grid->dimensions(), mirrored_max);
  for (unsigned mirrored = 0; mirrored < mirrors; ++mirrored)
    if (const auto all = slots_moved(
            places, [&](Place place) { return shifted(*grid, place, places[from], places[to], mirrored); }))
      ways.push_back(moved(mapping, *all));
  return ways;
}

/// Task 0 and whichever is on slot 0 change places.
void swap_first(Mapping& mapping) {
  if (mapping.slot(0) != 0)
    mapping.swap(0, mapping.task(0));
  THALWEG_ASSERT(normal, mapping.slot(0) == 0 && mapping.task(0) == 0);
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

/// What a search for loads is told.
struct LoadProblem {
  const pattern::Pattern& pattern;
  const machine::Allocation& allocation;
  const Options& options;
  const Metrics& identity;
};

/// Searches on by the links' loads, with the first task where it is: turned, a mapping may load links that
/// carry less than others.
void relieve_links(const LoadProblem& problem, const Graph& graph, const Distances& distances,
                   Mapping mapping, Budget& budget, const std::function<void(const Mapping&)>& note) {
  const LinkGoal goal =
      link_goal(problem.options.goal, problem.pattern, problem.identity, problem.options.costs);
  const Vicinity vicinity(distances);
  Proposals proposals(graph, vicinity);
  proposals.keep(0);
  if (goal.layers.empty() || !proposals.has_any() || budget.is_over())
    return;
  Routes routes(problem.allocation);
  std::vector<double> base = problem.options.base_load;
  for (std::size_t link = 0; link < base.size(); ++link)
    base[link] /= problem.allocation.interconnect->capacity(static_cast<topology::Link>(link));
  LinkEnergy state(goal.layers, goal.hop_weight, routes, mapping, base);
  Random random(problem.options.seed);
  search_links({state, proposals, nullptr, random, budget, [&] { note(mapping); }}, 1);
}

} // namespace

Result map_pinned(const pattern::Pattern& pattern, const machine::Allocation& allocation,
                  const Options& options) {
  Budget budget(options.seconds, options.proposals, options.clock, options.stopped);
  Options half = options;
  half.seconds = options.seconds / 2;
  Result result = map(pattern, allocation, half);
  if (result.slot_of.front() == 0 && !options.goal.needs_links())
    return result;
  const auto slots = static_cast<std::int32_t>(allocation.slots.size());
  const Graph graph(sum(pattern), slots);
  const Distances distances(allocation);
  Mapping found = Mapping::identity(slots);
  for (std::int32_t task = 0; task < pattern.tasks; ++task)
    found.swap(task, found.task(result.slot_of[static_cast<std::size_t>(task)]));
  std::vector<Mapping> ways = turned(found, allocation, static_cast<std::size_t>(found.slot(0)), 0);
  ways.push_back(found);
  std::optional<Metrics> best_metrics;
  Mapping best = found;
  const auto note = [&](const Mapping& way) {
    Slots placed(way.slot_of.begin(), way.slot_of.begin() + pattern.tasks);
    const Metrics metrics_of_way = metrics(pattern, allocation, placed, options.base_load, options.costs);
    if (!best_metrics || is_better(options.goal, metrics_of_way, *best_metrics, result.identity)) {
      best_metrics = metrics_of_way;
      best = way;
      result.slot_of = std::move(placed);
      result.placed = metrics_of_way;
    }
  };
  for (Mapping& way : ways) {
    swap_first(way);
    mend(way, graph, distances, budget);
    note(way);
  }
  if (options.goal.needs_links())
    relieve_links({pattern, allocation, options, result.identity}, graph, distances, best, budget, note);
  if (value(options.goal, *best_metrics, result.identity) >= 1) {
    const Slots all = Mapping::identity(slots).slot_of;
    result.slot_of.assign(all.begin(), all.begin() + pattern.tasks);
    result.placed = result.identity;
    result.method = "identity";
  }
  result.seconds = budget.elapsed();
  THALWEG_ASSERT(light, result.slot_of.front() == 0);
  THALWEG_ASSERT(light, value(options.goal, result.placed, result.identity) <=
                            value(options.goal, result.identity, result.identity));
  return result;
}

} // namespace thalweg::place

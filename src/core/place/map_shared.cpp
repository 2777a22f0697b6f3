// SPDX-License-Identifier: BSD-3-Clause
#include "base/assertion.hpp"
#include "base/error.hpp"
#include "base/random.hpp"
#include "place/budget.hpp"
#include "place/distances.hpp"
#include "place/graph.hpp"
#include "place/map.hpp"
#include "place/mapping.hpp"
#include "place/node_search.hpp"
#include "place/partition.hpp"
#include "place/shared_slots.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace thalweg::place {

namespace {

std::vector<double> checked_weights(const pattern::Pattern& pattern, const Sharing& sharing) {
  if (!(sharing.imbalance >= 0) || !std::isfinite(sharing.imbalance))
    throw Error(fmt::format("an imbalance of {}", sharing.imbalance),
                "give a part of the mean from 0, as 0.03");
  if (sharing.weights.empty())
    return std::vector<double>(at(pattern.tasks), 1);
  if (sharing.weights.size() != at(pattern.tasks))
    throw Error(fmt::format("{} weights for {} tasks", sharing.weights.size(), pattern.tasks),
                "give one for each task");
  for (std::size_t task = 0; task < sharing.weights.size(); ++task)
    if (!pattern::is_amount(sharing.weights[task]))
      throw Error(fmt::format("task {} has weight {}", task, sharing.weights[task]),
                  fmt::format("give numbers from 0 to {}", pattern::amount_max));
  return sharing.weights;
}

/// Tasks in the order of their numbers, each slot its share of the weight.
Slots dealt_out(const std::vector<double>& weights, std::int32_t slots) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  Slots slot_of;
  double before = 0;
  for (std::size_t task = 0; task < weights.size(); ++task) {
    const double middle = total > 0 ? (before + weights[task] / 2) / total
                                    : (static_cast<double>(task) + 0.5) / static_cast<double>(weights.size());
    slot_of.push_back(std::min(static_cast<std::int32_t>(middle * slots), slots - 1));
    before += weights[task];
  }
  return slot_of;
}

double heaviest(const Slots& slot_of, const std::vector<double>& weights, std::int32_t slots) {
  return std::ranges::max(part_weights(slot_of, weights, slots));
}

} // namespace

Result map_shared(const pattern::Pattern& pattern, const machine::Allocation& allocation,
                  const Sharing& sharing, const Options& options) {
  const auto slots = static_cast<std::int32_t>(allocation.slots.size());
  const std::vector<double> weights = checked_weights(pattern, sharing);
  if (pattern.tasks <= slots || slots == 0)
    return map(pattern, allocation, options); // which knows what is no problem
  constexpr double part_for_slots = 0.4;      // of the budget; partitions take what they take
  Budget budget(options.seconds, options.proposals, options.clock, options.stopped);
  Random random(options.seed);
  const Graph graph(pattern::sum(pattern), pattern.tasks);
  Slots part_of = partition(graph, weights, slots, sharing.imbalance, random);
  Options for_slots = options;
  for_slots.seconds = part_for_slots * std::max(options.seconds - budget.elapsed(), 0.0);
  for_slots.proposals = options.proposals / 2;
  budget.spend(for_slots.proposals);
  Result result = map(quotient(pattern, part_of, slots), allocation, for_slots);

  const auto measured = [&](const Slots& slot_of) {
    return metrics(pattern, allocation, slot_of, options.base_load, options.costs);
  };
  result.numbered = dealt_out(weights, slots);
  result.identity = measured(result.numbered);
  const double mean = std::accumulate(weights.begin(), weights.end(), 0.0) / slots;
  const double weight_max = (1 + sharing.imbalance) * mean;
  for (std::int32_t& part : part_of)
    part = result.slot_of[at(part)];
  const Distances distances(allocation);
  SharedSlots state(graph, distances, weights, std::move(part_of), std::vector(at(slots), weight_max));
  state.even_out();
  const auto better = [&](const Metrics& one, const Metrics& other) {
    return value(options.goal, one, result.identity) < value(options.goal, other, result.identity);
  };
  result.slot_of = state.slot_of();
  result.placed = measured(result.slot_of);
  result.method = "partition+" + result.method;
  state.improve(Vicinity(distances), random, budget, 1);
  if (const Metrics found = measured(state.slot_of()); better(found, result.placed)) {
    result.slot_of = state.slot_of();
    result.placed = found;
    result.method += "+moves";
  }
  const double allowed = std::max(weight_max, heaviest(result.slot_of, weights, slots));
  if (heaviest(result.numbered, weights, slots) <= allowed && !better(result.placed, result.identity)) {
    result.slot_of = result.numbered;
    result.placed = result.identity;
    result.method = "identity";
  }
  result.seconds = budget.elapsed();
  THALWEG_ASSERT(light, result.slot_of.size() == at(pattern.tasks));
  THALWEG_ASSERT(heavy, std::ranges::min(result.slot_of) >= 0 && std::ranges::max(result.slot_of) < slots);
  THALWEG_ASSERT(heavy, result.placed == measured(result.slot_of));
  return result;
}

} // namespace thalweg::place

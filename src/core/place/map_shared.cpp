// SPDX-License-Identifier: BSD-3-Clause
#include "base/assertion.hpp"
#include "base/error.hpp"
#include "base/random.hpp"
#include "place/budget.hpp"
#include "place/distances.hpp"
#include "place/graph.hpp"
#include "place/map.hpp"
#include "place/mapping.hpp"
#include "place/partition.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <queue>

namespace thalweg::place {

namespace {

/// Tasks that outnumber slots, several of them on each: which is on which, by bytes times hops and by weight.
/// Changed by moves of one task, and by swaps of two.
class SharedSlots {
public:
  /// Keeps references to the graph, distances and weights. No slot may become heavier than `weight_max`, but
  /// for those that are so already.
  SharedSlots(const Graph& graph, const Distances& distances, const std::vector<double>& weights,
              std::vector<std::int32_t> slot_of, double weight_max);

  const std::vector<std::int32_t>& slot_of() const { return slot_of_; }
  /// Bytes times hops of the mapping as it is.
  double value() const { return value_; }

  /// Moves tasks from slots that are too heavy to the lightest ones, as long as that evens them out. What is
  /// the heaviest slot's weight then is allowed for all.
  void even_out();
  /// Anneals by moves and swaps that keep the weights, then descends, until the budget is used up to `until`.
  void improve(const Vicinity& vicinity, Random& random, Budget& budget, double until);

private:
  struct Proposal {
    std::int32_t task;
    std::int32_t slot;
    std::int32_t other; ///< a task that comes back in exchange, or -1
    double change;
  };
  /// A task to the slot of one that it talks to, or near it; task -1 where there is none that the weights
  /// allow.
  Proposal propose(const Vicinity& vicinity, Random& random) const;
  double moved(std::int32_t task, std::int32_t slot, std::int32_t other) const;
  bool fits(std::int32_t slot, double added) const;
  void put(std::int32_t task, std::int32_t slot);

  const Graph& graph_;
  const Distances& distances_;
  const std::vector<double>& weights_;
  std::vector<std::int32_t> slot_of_;
  double weight_max_;
  std::vector<double> loads_;                    ///< weights by slot
  std::vector<std::vector<std::int32_t>> tasks_; ///< by slot
  std::vector<std::int32_t> talking_;            ///< tasks with neighbors
  double value_ = 0;
};

SharedSlots::SharedSlots(const Graph& graph, const Distances& distances, const std::vector<double>& weights,
                         std::vector<std::int32_t> slot_of, double weight_max)
    : graph_(graph), distances_(distances), weights_(weights), slot_of_(std::move(slot_of)),
      weight_max_(weight_max), loads_(at(distances.slots())), tasks_(loads_.size()) {
  double twice = 0;
  for (std::int32_t task = 0; task < graph.vertices(); ++task) {
    const std::int32_t slot = slot_of_[at(task)];
    loads_[at(slot)] += weights[at(task)];
    tasks_[at(slot)].push_back(task);
    if (graph.degree(task) > 0)
      talking_.push_back(task);
    for (std::size_t edge = 0; edge < graph.degree(task); ++edge)
      twice += graph.bytes(task)[edge] * distances(slot, slot_of_[at(graph.neighbors(task)[edge])]);
  }
  value_ = twice / 2;
}

bool SharedSlots::fits(std::int32_t slot, double added) const {
  return added <= 0 || loads_[at(slot)] + added <= weight_max_;
}

/// What a task's move changes, but for its pair with `other`: their distance stays where they swap.
double SharedSlots::moved(std::int32_t task, std::int32_t slot, std::int32_t other) const {
  const std::int32_t from = slot_of_[at(task)];
  const auto neighbors = graph_.neighbors(task);
  const auto bytes = graph_.bytes(task);
  double change = 0;
  for (std::size_t edge = 0; edge < neighbors.size(); ++edge) {
    const std::int32_t there = slot_of_[at(neighbors[edge])];
    if (neighbors[edge] != other)
      change += bytes[edge] * (distances_(slot, there) - distances_(from, there));
  }
  return change;
}

void SharedSlots::put(std::int32_t task, std::int32_t slot) {
  const std::int32_t from = slot_of_[at(task)];
  THALWEG_ASSERT(normal, slot != from && slot >= 0 && slot < distances_.slots());
  std::vector<std::int32_t>& before = tasks_[at(from)];
  *std::ranges::find(before, task) = before.back();
  before.pop_back();
  tasks_[at(slot)].push_back(task);
  loads_[at(from)] -= weights_[at(task)];
  loads_[at(slot)] += weights_[at(task)];
  slot_of_[at(task)] = slot;
}

void SharedSlots::even_out() {
  using Lightest = std::pair<double, std::int32_t>;
  std::priority_queue<Lightest, std::vector<Lightest>, std::greater<>> light;
  for (std::int32_t slot = 0; slot < distances_.slots(); ++slot)
    light.push({loads_[at(slot)], slot});
  for (std::int32_t slot = 0; slot < distances_.slots(); ++slot) {
    // The lightest tasks go, as they find room most easily.
    std::vector<std::int32_t> own = tasks_[at(slot)];
    std::ranges::stable_sort(own, {}, [&](std::int32_t task) { return weights_[at(task)]; });
    for (std::size_t next = 0; next < own.size() && loads_[at(slot)] > weight_max_;) {
      const auto [load, to] = light.top();
      if (load != loads_[at(to)]) { // was changed since
        light.pop();
        light.push({loads_[at(to)], to});
        continue;
      }
      const std::int32_t task = own[next++];
      if (weights_[at(task)] <= 0)
        continue;
      if (load + weights_[at(task)] >= loads_[at(slot)])
        break;
      value_ += moved(task, to, -1);
      put(task, to);
    }
  }
  weight_max_ = std::max(weight_max_, std::ranges::max(loads_));
}

SharedSlots::Proposal SharedSlots::propose(const Vicinity& vicinity, Random& random) const {
  const auto one_of = [&](auto numbers) {
    return numbers[at(random.below(static_cast<std::int32_t>(numbers.size())))];
  };
  const Proposal none{-1, 0, -1, 0};
  const std::int32_t task = one_of(std::span(talking_));
  std::int32_t slot = slot_of_[at(one_of(graph_.neighbors(task)))];
  if ((random.next() & 3U) == 0 && !vicinity.of(slot).empty())
    slot = one_of(vicinity.of(slot));
  const std::int32_t from = slot_of_[at(task)];
  if (slot == from)
    return none;
  const double weight = weights_[at(task)];
  const std::vector<std::int32_t>& there = tasks_[at(slot)];
  const bool fits_alone = fits(slot, weight);
  if (fits_alone && (there.empty() || (random.next() & 1U) == 0))
    return {task, slot, -1, moved(task, slot, -1)};
  if (there.empty())
    return none;
  const std::int32_t other = one_of(std::span(there));
  const double more = weight - weights_[at(other)];
  if (!fits(slot, more) || !fits(from, -more))
    return none;
  return {task, slot, other, moved(task, slot, other) + moved(other, from, task)};
}

void SharedSlots::improve(const Vicinity& vicinity, Random& random, Budget& budget, double until) {
  constexpr std::int64_t looks_at_clock = 256;
  constexpr int samples = 256;
  constexpr double hot = 0.15; // as parts of what a proposal changes in the mean
  constexpr double cold = 0.003;
  constexpr double part_annealed = 0.85;
  if (talking_.empty())
    return;
  double sum = 0;
  for (int sample = 0; sample < samples; ++sample)
    sum += std::abs(propose(vicinity, random).change);
  const double unit = sum / samples;
  const double begin = budget.used();
  const std::int64_t patience = 8 * std::int64_t{graph_.vertices()} + 256;
  std::int64_t idle = 0;
  while (unit > 0 && budget.used() < until && idle < patience) {
    const double progress = (budget.used() - begin) / (until - begin) / part_annealed;
    const double temperature = progress < 1 ? unit * hot * std::pow(cold / hot, progress) : 0;
    for (std::int64_t count = 0; count < looks_at_clock; ++count) {
      const Proposal proposal = propose(vicinity, random);
      idle = progress < 1 ? 0 : idle + 1;
      const bool is_taken = proposal.task >= 0 &&
                            (proposal.change < 0 ||
                             (temperature > 0 && random.real() < std::exp(-proposal.change / temperature)));
      if (!is_taken)
        continue;
      const std::int32_t from = slot_of_[at(proposal.task)];
      put(proposal.task, proposal.slot);
      if (proposal.other >= 0)
        put(proposal.other, from);
      value_ += proposal.change;
      idle = 0;
    }
    budget.spend(looks_at_clock);
  }
}

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

/// What parts send each other.
pattern::Pattern quotient(const pattern::Pattern& pattern, const std::vector<std::int32_t>& part_of,
                          std::int32_t parts) {
  pattern::Pattern found{parts, {}};
  for (const pattern::Phase& phase : pattern.phases) {
    std::vector<pattern::Edge> edges(phase.matrix.edges().begin(), phase.matrix.edges().end());
    for (pattern::Edge& edge : edges) {
      edge.from = part_of[at(edge.from)];
      edge.to = part_of[at(edge.to)];
    }
    found.phases.push_back({phase.name, phase.repeats, pattern::Matrix(parts, std::move(edges))});
  }
  return found;
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
  SharedSlots state(graph, distances, weights, std::move(part_of), weight_max);
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

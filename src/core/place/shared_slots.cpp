// SPDX-License-Identifier: BSD-3-Clause
#include "place/shared_slots.hpp"

#include "base/assertion.hpp"
#include "place/mapping.hpp"

#include <algorithm>
#include <cmath>
#include <queue>

namespace thalweg::place {

SharedSlots::SharedSlots(const Graph& graph, const Distances& distances, const std::vector<double>& weights,
                         std::vector<std::int32_t> slot_of, std::vector<double> rooms)
    : graph_(graph), distances_(distances), weights_(weights), slot_of_(std::move(slot_of)),
      rooms_(std::move(rooms)), loads_(at(distances.slots())), tasks_(loads_.size()) {
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
  return added <= 0 || loads_[at(slot)] + added <= rooms_[at(slot)];
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
    for (std::size_t next = 0; next < own.size() && loads_[at(slot)] > rooms_[at(slot)];) {
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
  double excess = 0;
  for (std::size_t slot = 0; slot < rooms_.size(); ++slot)
    excess = std::max(excess, loads_[slot] - rooms_[slot]);
  for (double& room : rooms_)
    room += excess;
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

void SharedSlots::improve(const Vicinity& vicinity, Random& random, Budget& budget, double until,
                          double hot) {
  constexpr std::int64_t looks_at_clock = 256;
  constexpr int samples = 256;
  constexpr double cold = 0.003; // as a part of what a proposal changes in the mean
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

} // namespace thalweg::place

// SPDX-License-Identifier: BSD-3-Clause
#include "base/random.hpp"
#include "place/distances.hpp"
#include "place/energy.hpp"
#include "place/mapping.hpp"
#include "place/published_heuristics.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>

namespace thalweg::place {

namespace {

// As the algorithm's own driver sets them: which part of the candidates is drawn from, and which part of the
// flows and distances makes pairs.
constexpr double alpha = 0.25;
constexpr double beta = 0.5;
constexpr std::uint64_t driver_seed = 270001;

struct WeightedPair { ///< a flow between two tasks, a distance between two slots, or a task on a slot
  double value;
  std::int32_t one;
  std::int32_t other;
};

std::size_t part_of(double part, std::size_t count) {
  return std::clamp<std::size_t>(static_cast<std::size_t>(part * static_cast<double>(count)), 1, count);
}

class Grasp {
public:
  Grasp(const Graph& graph, const Distances& distances) : graph_(graph), distances_(distances) {
    const std::int32_t size = graph.vertices();
    std::vector<WeightedPair> flows;
    std::vector<WeightedPair> hops;
    for (std::int32_t a = 0; a < size; ++a) {
      std::vector<double> row(at(size));
      const auto neighbors = graph.neighbors(a);
      for (std::size_t edge = 0; edge < neighbors.size(); ++edge)
        row[at(neighbors[edge])] = graph.bytes(a)[edge];
      for (std::int32_t b = 0; b < size; ++b)
        if (a != b) {
          flows.push_back({row[at(b)], a, b});
          hops.push_back({static_cast<double>(distances(a, b)), a, b});
        }
    }
    std::ranges::stable_sort(flows, std::greater{}, &WeightedPair::value);
    std::ranges::stable_sort(hops, {}, &WeightedPair::value);
    const std::size_t kept = part_of(beta, flows.size());
    for (std::size_t rank = 0; rank < kept; ++rank)
      pairs_.push_back({flows[rank].value * hops[rank].value, flows[rank], hops[rank]});
    std::ranges::stable_sort(pairs_, {}, &Pair::cost);
  }

  Mapping round(Random& random) const {
    const Pair& pair = pairs_[at(random.below(static_cast<std::int32_t>(part_of(alpha, pairs_.size()))))];
    const std::int32_t size = graph_.vertices();
    Slots slot_of(at(size), -1);
    std::vector<bool> is_used(at(size));
    std::vector<double> costs(at(size) * at(size)); // of each task on each slot, with what has been put
    const auto put = [&](std::int32_t task, std::int32_t slot) {
      slot_of[at(task)] = slot;
      is_used[at(slot)] = true;
      const auto neighbors = graph_.neighbors(task);
      for (std::size_t edge = 0; edge < neighbors.size(); ++edge)
        for (std::int32_t other = 0; other < size; ++other)
          costs[at(neighbors[edge]) * at(size) + at(other)] +=
              graph_.bytes(task)[edge] * distances_(slot, other);
    };
    put(pair.flow.one, pair.distance.one);
    put(pair.flow.other, pair.distance.other);
    std::vector<WeightedPair> candidates;
    for (std::int32_t count = 2; count < size; ++count) {
      candidates.clear();
      for (std::int32_t task = 0; task < size; ++task)
        for (std::int32_t slot = 0; slot < size && slot_of[at(task)] < 0; ++slot)
          if (!is_used[at(slot)])
            candidates.push_back({costs[at(task) * at(size) + at(slot)], task, slot});
      const std::size_t drawn = part_of(alpha, candidates.size());
      std::ranges::nth_element(candidates, candidates.begin() + static_cast<std::ptrdiff_t>(drawn - 1), {},
                               &WeightedPair::value);
      const WeightedPair& chosen = candidates[at(random.below(static_cast<std::int32_t>(drawn)))];
      put(chosen.one, chosen.other);
    }
    return Mapping::of(std::move(slot_of));
  }

private:
  struct Pair {
    double cost;
    WeightedPair flow;
    WeightedPair distance;
  };

  const Graph& graph_;
  const Distances& distances_;
  std::vector<Pair> pairs_;
};

/// First improvement, sweep by sweep.
void sweep(HopBytes& state) {
  constexpr double rounding = 1e-12;
  const std::int32_t size = state.mapping().size();
  for (bool is_better = true; is_better;) {
    is_better = false;
    for (std::int32_t a = 0; a < size; ++a)
      for (std::int32_t b = a + 1; b < size; ++b)
        if (const double change = state.delta(a, b); change < -rounding * state.value()) {
          state.swap(a, b, change);
          is_better = true;
        }
  }
}

} // namespace

Mapping grasp(const Graph& graph, const Distances& distances, int rounds) {
  const Grasp search(graph, distances);
  Random random(driver_seed);
  std::optional<Mapping> best;
  double best_value = 0;
  for (int round = 0; round < rounds; ++round) {
    Mapping mapping = search.round(random);
    HopBytes state(graph, distances, mapping);
    sweep(state);
    if (!best || state.value() < best_value) {
      best_value = state.value();
      best = std::move(mapping);
    }
  }
  return *std::move(best);
}

namespace {

constexpr double near_alpha = 0.15; ///< the part of the candidates that is drawn from

struct Choice {
  double value;
  std::int32_t number;
};

/// One of the best by value, drawn.
std::int32_t drawn(std::vector<Choice>& choices, Random& random) {
  const auto count =
      std::max<std::size_t>(static_cast<std::size_t>(near_alpha * static_cast<double>(choices.size())), 1);
  std::ranges::nth_element(choices, choices.begin() + static_cast<std::ptrdiff_t>(count - 1), {},
                           &Choice::value);
  return choices[at(random.below(static_cast<std::int32_t>(count)))].number;
}

class NearConstruction {
public:
  NearConstruction(const Graph& graph, const Distances& distances, const Vicinity& vicinity, Random& random)
      : graph_(graph), distances_(distances), vicinity_(vicinity), random_(random),
        slot_of_(at(graph.vertices()), -1), is_used_(slot_of_.size()), bytes_(slot_of_.size()) {}

  Mapping run() {
    std::int32_t free_slot = 0;
    for (std::int32_t placed = 0; placed < graph_.vertices(); ++placed) {
      std::vector<Choice> tasks;
      for (const std::int32_t task : frontier_)
        tasks.push_back({-bytes_[at(task)], task});
      if (tasks.empty()) {
        // Nothing here talks to what has a slot: any task, where there is room.
        std::int32_t task = random_.below(graph_.vertices());
        while (slot_of_[at(task)] >= 0)
          task = (task + 1) % graph_.vertices();
        std::int32_t slot = placed == 0 ? random_.below(graph_.vertices()) : free_slot;
        while (is_used_[at(slot)])
          slot = ++free_slot;
        put(task, slot);
        continue;
      }
      const std::int32_t task = drawn(tasks, random_);
      put(task, slot_for(task));
    }
    return Mapping::of(std::move(slot_of_));
  }

private:
  void put(std::int32_t task, std::int32_t slot) {
    slot_of_[at(task)] = slot;
    is_used_[at(slot)] = true;
    std::erase(frontier_, task);
    const auto neighbors = graph_.neighbors(task);
    for (std::size_t edge = 0; edge < neighbors.size(); ++edge) {
      const std::int32_t other = neighbors[edge];
      if (slot_of_[at(other)] >= 0)
        continue;
      if (bytes_[at(other)] == 0)
        frontier_.push_back(other);
      bytes_[at(other)] += graph_.bytes(task)[edge];
    }
  }

  std::int32_t slot_for(std::int32_t task) {
    std::vector<Choice> slots;
    const auto consider = [&](std::int32_t slot) {
      if (is_used_[at(slot)])
        return;
      double cost = 0;
      for (std::size_t edge = 0; edge < graph_.degree(task); ++edge)
        if (const std::int32_t there = slot_of_[at(graph_.neighbors(task)[edge])]; there >= 0)
          cost += graph_.bytes(task)[edge] * distances_(slot, there);
      slots.push_back({cost, slot});
    };
    for (const std::int32_t other : graph_.neighbors(task))
      if (const std::int32_t there = slot_of_[at(other)]; there >= 0)
        std::ranges::for_each(vicinity_.of(there), consider);
    if (slots.empty()) // all near ones are taken
      for (std::int32_t slot = 0; slot < distances_.slots(); ++slot)
        consider(slot);
    return drawn(slots, random_);
  }

  const Graph& graph_;
  const Distances& distances_;
  const Vicinity& vicinity_;
  Random& random_;
  Slots slot_of_;
  std::vector<bool> is_used_;
  std::vector<double> bytes_; ///< of each task, to those that have a slot
  std::vector<std::int32_t> frontier_;
};

/// Brings tasks near those that they talk to, as long as a swap gains.
void sweep_near(HopBytes& state, const Graph& graph, const Vicinity& vicinity) {
  constexpr double rounding = 1e-12;
  for (bool is_better = true; is_better;) {
    is_better = false;
    for (std::int32_t task = 0; task < graph.vertices(); ++task)
      for (const std::int32_t partner : graph.neighbors(task))
        for (const std::int32_t slot : vicinity.of(state.mapping().slot(partner))) {
          const std::int32_t other = state.mapping().task(slot);
          if (const double change = other == task ? 0 : state.delta(task, other);
              change < -rounding * state.value()) {
            state.swap(task, other, change);
            is_better = true;
          }
        }
  }
}

} // namespace

Mapping near_grasp(const Graph& graph, const Distances& distances, int rounds) {
  const Vicinity vicinity(distances);
  Random random(1);
  std::optional<Mapping> best;
  double best_value = 0;
  for (int round = 0; round < rounds; ++round) {
    Mapping mapping = NearConstruction(graph, distances, vicinity, random).run();
    HopBytes state(graph, distances, mapping);
    sweep_near(state, graph, vicinity);
    if (!best || state.value() < best_value) {
      best_value = state.value();
      best = std::move(mapping);
    }
  }
  return *std::move(best);
}

} // namespace thalweg::place

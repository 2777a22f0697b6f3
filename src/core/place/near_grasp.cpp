// SPDX-License-Identifier: BSD-3-Clause
#include "base/random.hpp"
#include "place/grasp.hpp"
#include "place/hop_bytes.hpp"
#include "place/index.hpp"
#include "place/vicinity.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>

namespace thalweg::place {

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

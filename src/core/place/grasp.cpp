// SPDX-License-Identifier: BSD-3-Clause
#include "place/grasp.hpp"

#include "base/random.hpp"
#include "place/hop_bytes.hpp"
#include "place/index.hpp"

#include <algorithm>
#include <functional>
#include <optional>

namespace thalweg::place {

namespace {

// As the algorithm's own driver sets them: which part of the candidates is drawn from, and which part of the
// flows and distances makes pairs.
constexpr double alpha = 0.25;
constexpr double beta = 0.5;
constexpr std::uint64_t driver_seed = 270001;

struct Weighted { ///< a flow between two tasks, a distance between two slots, or a task on a slot
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
    std::vector<Weighted> flows;
    std::vector<Weighted> hops;
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
    std::ranges::stable_sort(flows, std::greater{}, &Weighted::value);
    std::ranges::stable_sort(hops, {}, &Weighted::value);
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
    std::vector<Weighted> candidates;
    for (std::int32_t count = 2; count < size; ++count) {
      candidates.clear();
      for (std::int32_t task = 0; task < size; ++task)
        for (std::int32_t slot = 0; slot < size && slot_of[at(task)] < 0; ++slot)
          if (!is_used[at(slot)])
            candidates.push_back({costs[at(task) * at(size) + at(slot)], task, slot});
      const std::size_t drawn = part_of(alpha, candidates.size());
      std::ranges::nth_element(candidates, candidates.begin() + static_cast<std::ptrdiff_t>(drawn - 1), {},
                               &Weighted::value);
      const Weighted& chosen = candidates[at(random.below(static_cast<std::int32_t>(drawn)))];
      put(chosen.one, chosen.other);
    }
    return Mapping::of(std::move(slot_of));
  }

private:
  struct Pair {
    double cost;
    Weighted flow;
    Weighted distance;
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

} // namespace thalweg::place

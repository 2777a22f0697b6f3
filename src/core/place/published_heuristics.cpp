// SPDX-License-Identifier: BSD-3-Clause
#include "place/published_heuristics.hpp"

#include "base/error.hpp"
#include "place/constructions.hpp"
#include "place/energy.hpp"
#include "place/link_energy.hpp"
#include "place/objectives.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <queue>

namespace thalweg::place {

namespace {

enum class Near : std::uint8_t { mean_of_neighbors, last_neighbor, last_slot };

struct Rule {
  bool by_edge; ///< the queue's key: the bytes of the edge that found a task, else its neighbors
  Near near;
};

constexpr Rule mahd_rule{false, Near::mean_of_neighbors};

/// Tasks one after the other, each on the slot that the rule says.
class GreedyMapping {
public:
  GreedyMapping(const Graph& graph, const Distances& distances, const std::vector<std::int32_t>& central,
                Rule rule)
      : graph_(graph), distances_(distances), central_(central), rule_(rule), slot_of_(count(), -1),
        is_used_(count()), is_queued_(count()), mapped_at_(count()) {}

  /// -1: as the heuristic itself begins.
  Mapping run(std::int32_t task, std::int32_t slot) {
    put(task >= 0 ? task : next_start(), slot >= 0 ? slot : central_.front());
    while (true) {
      while (!queue_.empty()) {
        const std::int32_t next = queue_.top().second;
        queue_.pop();
        put(-next, nearest_for(-next));
      }
      const std::int32_t start = next_start();
      if (start < 0)
        return Mapping::of(std::move(slot_of_));
      put(start, *std::ranges::find_if(central_, [&](std::int32_t free) { return !is_used_[at(free)]; }));
    }
  }

private:
  std::size_t count() const { return at(graph_.vertices()); }

  std::int32_t next_start() const {
    std::int32_t best = -1;
    for (std::int32_t task = 0; task < graph_.vertices(); ++task)
      if (slot_of_[at(task)] < 0 && (best < 0 || graph_.degree(task) > graph_.degree(best)))
        best = task;
    return best;
  }

  void put(std::int32_t task, std::int32_t slot) {
    slot_of_[at(task)] = slot;
    is_used_[at(slot)] = is_queued_[at(task)] = true;
    mapped_at_[at(task)] = ++time_;
    last_ = slot;
    const auto neighbors = graph_.neighbors(task);
    for (std::size_t edge = 0; edge < neighbors.size(); ++edge) {
      const std::int32_t other = neighbors[edge];
      if (is_queued_[at(other)])
        continue;
      is_queued_[at(other)] = true;
      queue_.push(
          {rule_.by_edge ? graph_.bytes(task)[edge] : static_cast<double>(graph_.degree(other)), -other});
    }
  }

  std::int32_t nearest_for(std::int32_t task) const {
    std::vector<std::int32_t> anchors;
    std::int32_t latest = -1;
    for (const std::int32_t other : graph_.neighbors(task))
      if (slot_of_[at(other)] >= 0) {
        anchors.push_back(slot_of_[at(other)]);
        if (latest < 0 || mapped_at_[at(other)] > mapped_at_[at(latest)])
          latest = other;
      }
    if (rule_.near == Near::last_neighbor)
      anchors = {slot_of_[at(latest)]};
    if (rule_.near == Near::last_slot)
      anchors = {last_};
    std::int32_t best = -1;
    std::int64_t best_sum = 0;
    for (std::int32_t slot = 0; slot < distances_.slots(); ++slot) {
      if (is_used_[at(slot)])
        continue;
      std::int64_t sum = 0;
      for (const std::int32_t anchor : anchors)
        sum += distances_(slot, anchor);
      if (best < 0 || sum < best_sum) {
        best = slot;
        best_sum = sum;
      }
    }
    return best;
  }

  const Graph& graph_;
  const Distances& distances_;
  const std::vector<std::int32_t>& central_;
  Rule rule_;
  Slots slot_of_;
  std::vector<bool> is_used_;
  std::vector<bool> is_queued_;
  std::vector<std::int64_t> mapped_at_;
  std::int64_t time_ = 0;
  std::int32_t last_ = 0;
  std::priority_queue<std::pair<double, std::int32_t>>
      queue_; ///< with the task's number below 0: lowest first
};

} // namespace

Mapping mahd_from(const Graph& graph, const Distances& distances, std::int32_t slot) {
  return GreedyMapping(graph, distances, central_slots(distances), mahd_rule).run(-1, slot);
}

std::vector<std::string_view> literals() {
  return {"mahd",    "emahd-nodes", "emahd-tasks", "gge",   "gge-edges",
          "topomap", "grasp",       "grasp-near",  "hybrid"};
}

Mapping literal(std::string_view heuristic, const Graph& graph, const Distances& distances) {
  const std::vector<std::int32_t> central = central_slots(distances);
  const auto once = [&](Rule rule, std::int32_t task, std::int32_t slot) {
    return GreedyMapping(graph, distances, central, rule).run(task, slot);
  };
  if (heuristic == "mahd")
    return once(mahd_rule, -1, -1);
  if (heuristic == "gge")
    return once({false, Near::last_neighbor}, -1, -1);
  if (heuristic == "gge-edges")
    return once({true, Near::last_slot}, heaviest_task(graph), 0);
  if (heuristic == "topomap")
    return topo_map(graph, distances);
  constexpr int grasp_rounds = 100;
  if (heuristic == "grasp" || heuristic == "grasp-near" || heuristic == "hybrid") {
    const auto search = heuristic == "grasp" ? grasp : heuristic == "grasp-near" ? near_grasp : hybrid;
    return graph.vertices() < 2 ? Mapping::identity(1) : search(graph, distances, grasp_rounds);
  }
  if (heuristic != "emahd-nodes" && heuristic != "emahd-tasks")
    throw Error(
        fmt::format("no published heuristic is called {}", heuristic),
        "choose mahd, emahd-nodes, emahd-tasks, gge, gge-edges, topomap, grasp, grasp-near or hybrid");
  std::optional<Mapping> best;
  double best_value = 0;
  for (std::int32_t start = 0; start < graph.vertices(); ++start) {
    Mapping mapping = heuristic == "emahd-nodes" ? once(mahd_rule, -1, start) : once(mahd_rule, start, -1);
    const double value = HopBytes(graph, distances, mapping).value();
    if (!best || value < best_value) {
      best = std::move(mapping);
      best_value = value;
    }
  }
  return *std::move(best);
}

namespace {

double link_max(const pattern::Matrix& matrix, const machine::Allocation& allocation,
                const Mapping& mapping) {
  const std::vector<double> loads = link_loads(matrix, allocation, mapping.slot_of);
  return loads.empty() ? 0 : *std::ranges::max_element(loads);
}

/// Makes one swap that lowers the maximum, if there is any.
bool improved(LinkEnergy& energy, std::int32_t tasks) {
  const double before = energy.load_max(0);
  const std::vector<std::size_t> ranking = energy.ranking();
  for (const std::int32_t a : energy.hot_tasks(1))
    for (std::int32_t b = 0; b < tasks; ++b) {
      if (a == b)
        continue;
      const double change = energy.delta(a, b);
      if (energy.peak_after(ranking).load < before) {
        energy.swap(a, b, change);
        return true;
      }
    }
  return false;
}

} // namespace

Mapping local_opt(const pattern::Matrix& matrix, const Graph& graph, const Distances& distances) {
  std::optional<Mapping> best;
  double best_max = 0;
  for (std::int32_t start = 0; start < graph.vertices(); ++start) {
    Mapping mapping = mahd_from(graph, distances, start);
    const double load = link_max(matrix, distances.allocation(), mapping);
    if (!best || load < best_max) {
      best = std::move(mapping);
      best_max = load;
    }
  }
  Routes routes(distances.allocation());
  const std::vector<double> none;
  LinkEnergy energy({{matrix, 1, 0}}, 0, routes, *best, none);
  while (improved(energy, graph.vertices())) {
  }
  return *std::move(best);
}

} // namespace thalweg::place

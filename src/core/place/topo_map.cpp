// SPDX-License-Identifier: BSD-3-Clause
#include "place/mapping.hpp"
#include "place/published_heuristics.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>

namespace thalweg::place {

namespace {

using topology::Link;
using topology::Vertex;

class TopoMap {
public:
  TopoMap(const Graph& graph, const machine::Allocation& allocation)
      : graph_(graph), machine_(*allocation.interconnect), hosts_(allocation.slots),
        out_(static_cast<std::size_t>(machine_.vertices())), free_(out_.size()),
        slot_of_(at(graph.vertices()), -1), is_found_(slot_of_.size()) {
    for (std::size_t slot = 0; slot < hosts_.size(); ++slot)
      free_[static_cast<std::size_t>(hosts_[slot])].push_back(static_cast<std::int32_t>(slot));
    std::size_t slots_max = 0;
    for (std::vector<std::int32_t>& slots : free_) {
      slots_max = std::max(slots_max, slots.size());
      std::ranges::reverse(slots); // the lowest is taken first
    }
    std::ranges::sort(hosts_);
    hosts_.erase(std::ranges::unique(hosts_).begin(), hosts_.end());
    double edge_max = 0;
    for (std::int32_t task = 0; task < graph.vertices(); ++task)
      for (const double bytes : graph.bytes(task))
        edge_max = std::max(edge_max, bytes);
    // So long that a way of fewer links is the shorter one, whatever the loads.
    const double tasks = graph.vertices();
    length_.assign(static_cast<std::size_t>(machine_.links()),
                   std::max(static_cast<double>(slots_max) * edge_max * tasks * tasks, 1.0));
    for (Link link = 0; link < machine_.links(); ++link)
      if (const topology::LinkEnds ends = machine_.ends(link); ends.from >= 0)
        out_[static_cast<std::size_t>(ends.from)].push_back(link);
  }

  Mapping run() {
    std::vector<std::int32_t> order(slot_of_.size());
    std::iota(order.begin(), order.end(), 0);
    std::vector<double> bytes;
    for (const std::int32_t task : order)
      bytes.push_back(std::accumulate(graph_.bytes(task).begin(), graph_.bytes(task).end(), 0.0));
    std::ranges::stable_sort(order, std::greater{}, [&](std::int32_t task) { return bytes[at(task)]; });
    std::size_t current = 0;
    for (const std::int32_t task : order) {
      if (slot_of_[at(task)] >= 0)
        continue;
      while (free_on(hosts_[current]).empty())
        current = (current + 1) % hosts_.size();
      take(task, hosts_[current]);
      while (!queue_.empty()) {
        const auto [weight, next] = queue_.top();
        queue_.pop();
        take(-next, lengthened(hosts_[current], weight));
      }
    }
    return Mapping::of(std::move(slot_of_));
  }

private:
  std::vector<std::int32_t>& free_on(Vertex host) { return free_[static_cast<std::size_t>(host)]; }

  void take(std::int32_t task, Vertex host) {
    slot_of_[at(task)] = free_on(host).back();
    free_on(host).pop_back();
    is_found_[at(task)] = true;
    for (std::size_t edge = 0; edge < graph_.degree(task); ++edge) {
      const std::int32_t other = graph_.neighbors(task)[edge];
      if (!is_found_[at(other)])
        queue_.push({graph_.bytes(task)[edge], -other});
      is_found_[at(other)] = true;
    }
  }

  /// The nearest host with a free slot; the links of the way there become longer.
  Vertex lengthened(Vertex from, double weight) {
    std::vector<double> lengths(out_.size(), std::numeric_limits<double>::infinity());
    std::vector<Link> way(out_.size(), -1);
    std::priority_queue<std::pair<double, Vertex>, std::vector<std::pair<double, Vertex>>, std::greater<>>
        queue;
    lengths[static_cast<std::size_t>(from)] = 0;
    queue.push({0, from});
    while (!queue.empty()) {
      const auto [length, here] = queue.top();
      queue.pop();
      if (length > lengths[static_cast<std::size_t>(here)])
        continue;
      if (!free_on(here).empty()) {
        for (Vertex back = here; back != from;) {
          const Link link = way[static_cast<std::size_t>(back)];
          length_[static_cast<std::size_t>(link)] += weight / machine_.capacity(link);
          back = machine_.ends(link).from;
        }
        return here;
      }
      for (const Link link : out_[static_cast<std::size_t>(here)]) {
        const auto there = static_cast<std::size_t>(machine_.ends(link).to);
        if (const double next = length + length_[static_cast<std::size_t>(link)]; next < lengths[there]) {
          lengths[there] = next;
          way[there] = link;
          queue.push({next, machine_.ends(link).to});
        }
      }
    }
    return from; // all hosts can be reached, and there are as many slots as tasks
  }

  const Graph& graph_;
  const topology::Interconnect& machine_;
  std::vector<topology::Place> hosts_; ///< each once, ascending
  std::vector<std::vector<Link>> out_; ///< by vertex
  std::vector<std::vector<std::int32_t>> free_;
  std::vector<double> length_; ///< of links
  Slots slot_of_;
  std::vector<bool> is_found_;
  std::priority_queue<std::pair<double, std::int32_t>> queue_; ///< tasks' numbers below 0: lowest first
};

} // namespace

Mapping topo_map(const Graph& graph, const Distances& distances) {
  return TopoMap(graph, distances.allocation()).run();
}

} // namespace thalweg::place

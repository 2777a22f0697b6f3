// SPDX-License-Identifier: BSD-3-Clause
#include "place/growth.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <queue>

namespace thalweg::place {

namespace {

constexpr std::size_t partners_max = 24; ///< of a task, the heaviest that count for its slot

struct Queued {
  double bytes;
  std::int32_t task;
  bool operator<(const Queued& other) const {
    return bytes != other.bytes ? bytes < other.bytes : task > other.task;
  }
};

struct Partner {
  double bytes;
  std::int32_t slot;
};

class Growing {
public:
  Growing(const Graph& graph, const Distances& distances)
      : graph_(graph), distances_(distances), slots_(static_cast<std::size_t>(graph.vertices()), -1),
        bytes_(slots_.size()), free_(slots_.size()), costs_(slots_.size()) {
    std::iota(free_.begin(), free_.end(), 0);
  }

  void put(std::int32_t task, std::size_t index) {
    slots_[static_cast<std::size_t>(task)] = free_[index];
    free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(index));
    const auto neighbors = graph_.neighbors(task);
    for (std::size_t edge = 0; edge < neighbors.size(); ++edge)
      if (slots_[static_cast<std::size_t>(neighbors[edge])] < 0) {
        double& bytes = bytes_[static_cast<std::size_t>(neighbors[edge])];
        bytes += graph_.bytes(task)[edge];
        queue_.push({bytes, neighbors[edge]});
      }
  }

  void grow() {
    while (!queue_.empty()) {
      const Queued next = queue_.top();
      queue_.pop();
      if (slots_[static_cast<std::size_t>(next.task)] < 0 &&
          next.bytes == bytes_[static_cast<std::size_t>(next.task)])
        put(next.task, best_for(next.task));
    }
  }

  const Slots& slots() const { return slots_; }
  Slots take() { return std::move(slots_); }
  const std::vector<std::int32_t>& free() const { return free_; }

private:
  std::size_t best_for(std::int32_t task) {
    collect_partners(task);
    std::fill_n(costs_.begin(), free_.size(), 0.0);
    for (const Partner& partner : partners_) {
      if (const std::uint16_t* row = distances_.row(partner.slot))
        for (std::size_t index = 0; index < free_.size(); ++index)
          costs_[index] += partner.bytes * row[free_[index]];
      else
        for (std::size_t index = 0; index < free_.size(); ++index)
          costs_[index] += partner.bytes * distances_(partner.slot, free_[index]);
    }
    const auto end = costs_.begin() + static_cast<std::ptrdiff_t>(free_.size());
    return static_cast<std::size_t>(std::min_element(costs_.begin(), end) - costs_.begin());
  }

  void collect_partners(std::int32_t task) {
    partners_.clear();
    const auto neighbors = graph_.neighbors(task);
    for (std::size_t edge = 0; edge < neighbors.size(); ++edge)
      if (const std::int32_t slot = slots_[static_cast<std::size_t>(neighbors[edge])]; slot >= 0)
        partners_.push_back({graph_.bytes(task)[edge], slot});
    if (partners_.size() <= partners_max)
      return;
    std::ranges::nth_element(partners_, partners_.begin() + partners_max, std::greater{}, &Partner::bytes);
    partners_.resize(partners_max);
  }

  const Graph& graph_;
  const Distances& distances_;
  Slots slots_;
  std::vector<double> bytes_; ///< of each task, to those that have a slot
  std::vector<std::int32_t> free_;
  std::vector<double> costs_;
  std::vector<Partner> partners_;
  std::priority_queue<Queued> queue_;
};

double traffic(const Graph& graph, std::int32_t task) {
  const auto bytes = graph.bytes(task);
  return std::accumulate(bytes.begin(), bytes.end(), 0.0);
}

} // namespace

std::int32_t heaviest_task(const Graph& graph) {
  std::int32_t best = 0;
  double bytes = -1;
  for (std::int32_t task = 0; task < graph.vertices(); ++task)
    if (const double own = traffic(graph, task); own > bytes) {
      bytes = own;
      best = task;
    }
  return best;
}

std::vector<std::int32_t> central_slots(const Distances& distances) {
  std::vector<std::int64_t> sums(static_cast<std::size_t>(distances.slots()));
  for (std::int32_t a = 0; a < distances.slots(); ++a)
    for (std::int32_t b = 0; b < distances.slots(); ++b)
      sums[static_cast<std::size_t>(a)] += distances(a, b);
  std::vector<std::int32_t> order(sums.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {},
                           [&](std::int32_t slot) { return sums[static_cast<std::size_t>(slot)]; });
  return order;
}

Mapping grown(const Graph& graph, const Distances& distances, std::int32_t first, std::int32_t slot) {
  Growing growing(graph, distances);
  growing.put(first, static_cast<std::size_t>(slot));
  growing.grow();
  std::vector<std::int32_t> left;
  for (std::int32_t task = 0; task < graph.vertices(); ++task)
    left.push_back(task);
  std::ranges::stable_sort(left, std::greater{}, [&](std::int32_t task) { return graph.degree(task); });
  for (const std::int32_t task : left)
    if (growing.slots()[static_cast<std::size_t>(task)] < 0) {
      growing.put(task, growing.free().size() / 2);
      growing.grow();
    }
  return Mapping::of(growing.take());
}

} // namespace thalweg::place

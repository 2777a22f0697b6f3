// SPDX-License-Identifier: BSD-3-Clause
#include "place/constructions.hpp"

#include "base/assertion.hpp"
#include "place/graph_cut.hpp"
#include "place/regions.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <queue>

namespace thalweg::place {

namespace {

constexpr std::size_t partners_max = 24; ///< of a task, the heaviest that count for its slot

struct QueueEntry {
  double bytes;
  std::int32_t task;
  bool operator<(const QueueEntry& other) const {
    return bytes != other.bytes ? bytes < other.bytes : task > other.task;
  }
};

struct Partner {
  double bytes;
  std::int32_t slot;
};

class Growth {
public:
  Growth(const Graph& graph, const Distances& distances)
      : graph_(graph), distances_(distances), slots_(static_cast<std::size_t>(graph.vertices()), -1),
        bytes_(slots_.size()), free_(slots_.size()), costs_(slots_.size()) {
    std::iota(free_.begin(), free_.end(), 0);
  }

  void put(std::int32_t task, std::size_t index) {
    THALWEG_ASSERT(normal, index < free_.size() && slots_[static_cast<std::size_t>(task)] < 0);
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
      const QueueEntry next = queue_.top();
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
  std::priority_queue<QueueEntry> queue_;
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
  THALWEG_ASSERT(light, graph.vertices() == distances.slots() && first < graph.vertices());
  Growth growing(graph, distances);
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

namespace {

struct Region {
  std::size_t begin; ///< of its slots and of its tasks alike
  std::size_t end;
  std::int32_t middle;
};

class Bisection {
public:
  Bisection(const Graph& graph, const Distances& distances, Random& random)
      : graph_(graph), distances_(distances), random_(random),
        slots_(static_cast<std::size_t>(graph.vertices())), middle_of_(slots_.size()),
        number_(slots_.size(), -1) {
    std::iota(slots_.begin(), slots_.end(), 0);
    tasks_ = slots_;
    regions_ = {{0, slots_.size(), middle(distances, slots_, 0, slots_.size())}};
    std::fill(middle_of_.begin(), middle_of_.end(), regions_.front().middle);
  }

  Mapping run() {
    for (bool is_done = false; !is_done;) {
      std::vector<Region> next;
      is_done = true;
      for (const Region& region : regions_) {
        if (region.end - region.begin > 1) {
          split(region, next);
          is_done = false;
        } else {
          next.push_back(region);
        }
      }
      regions_ = std::move(next);
    }
    Slots slot_of(slots_.size());
    for (std::size_t index = 0; index < slots_.size(); ++index)
      slot_of[static_cast<std::size_t>(tasks_[index])] = slots_[index];
    return Mapping::of(std::move(slot_of));
  }

private:
  void split(const Region& region, std::vector<Region>& next) {
    const std::size_t half = (region.end - region.begin) / 2;
    const std::size_t border = region.begin + half;
    halve(distances_, slots_, region.begin, region.end, half);
    const Region first{region.begin, border, middle(distances_, slots_, region.begin, border)};
    const Region second{border, region.end, middle(distances_, slots_, border, region.end)};
    const CutGraph inner = inside(region, first.middle, second.middle);
    const Sides sides = cut(inner, static_cast<std::int32_t>(half), 0, random_);
    THALWEG_ASSERT(heavy, static_cast<std::size_t>(std::ranges::count(sides, 0)) == half);
    std::vector<std::int32_t> ordered;
    for (std::uint8_t side = 0; side < 2; ++side)
      for (std::size_t index = 0; index < sides.size(); ++index)
        if (sides[index] == side)
          ordered.push_back(tasks_[region.begin + index]);
    for (std::size_t index = region.begin; index < region.end; ++index) {
      const std::int32_t task = ordered[index - region.begin];
      tasks_[index] = task;
      number_[static_cast<std::size_t>(task)] = -1;
      middle_of_[static_cast<std::size_t>(task)] = index < border ? first.middle : second.middle;
    }
    next.push_back(first);
    next.push_back(second);
  }

  /// The region's tasks; what they send to others draws them to a half.
  CutGraph inside(const Region& region, std::int32_t first, std::int32_t second) {
    for (std::size_t index = region.begin; index < region.end; ++index)
      number_[static_cast<std::size_t>(tasks_[index])] = static_cast<std::int32_t>(index - region.begin);
    CutGraph inner;
    inner.sizes.assign(region.end - region.begin, 1);
    const double apart = std::max(distances_(first, second), 1);
    for (std::size_t index = region.begin; index < region.end; ++index) {
      const auto neighbors = graph_.neighbors(tasks_[index]);
      const auto bytes = graph_.bytes(tasks_[index]);
      double pull = 0;
      for (std::size_t edge = 0; edge < neighbors.size(); ++edge) {
        const auto other = static_cast<std::size_t>(neighbors[edge]);
        if (number_[other] >= 0) {
          inner.neighbors.push_back(number_[other]);
          inner.bytes.push_back(bytes[edge]);
        } else {
          pull +=
              bytes[edge] * (distances_(second, middle_of_[other]) - distances_(first, middle_of_[other]));
        }
      }
      inner.pull.push_back(pull / apart);
      inner.begin.push_back(inner.neighbors.size());
    }
    return inner;
  }

  const Graph& graph_;
  const Distances& distances_;
  Random& random_;
  std::vector<std::int32_t> slots_;
  std::vector<std::int32_t> tasks_;
  std::vector<Region> regions_;
  std::vector<std::int32_t> middle_of_; ///< of each task's region
  std::vector<std::int32_t> number_;    ///< of each task in the region that is being split, else -1
};

} // namespace

Mapping bisected(const Graph& graph, const Distances& distances, Random& random) {
  THALWEG_ASSERT(light, graph.vertices() == distances.slots());
  return Bisection(graph, distances, random).run();
}

} // namespace thalweg::place

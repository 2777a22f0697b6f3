// SPDX-License-Identifier: BSD-3-Clause
#include "place/bisection.hpp"

#include "place/graph_cut.hpp"

#include <algorithm>
#include <numeric>

namespace thalweg::place {

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
  return Bisection(graph, distances, random).run();
}

} // namespace thalweg::place

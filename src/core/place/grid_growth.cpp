// SPDX-License-Identifier: BSD-3-Clause
#include "place/grid_growth.hpp"

#include "base/assertion.hpp"
#include "place/mapping.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <queue>
#include <ranges>
#include <unordered_map>

namespace thalweg::place {

namespace {

constexpr std::size_t dimensions_max = 5;
constexpr std::size_t degree_max = 24; ///< of a vertex that gives others' places away
constexpr std::int32_t extent_max = 2048;

using Position = std::array<std::int32_t, dimensions_max>;

std::uint64_t key(const Position& position) {
  std::uint64_t sum = 0;
  for (const std::int32_t coordinate : position)
    sum = sum * (2 * extent_max) + static_cast<std::uint64_t>(coordinate + extent_max);
  return sum;
}

/// How two places lie to each other.
struct Apart {
  std::int32_t steps = 0;
  int dimensions = 0; ///< in which they differ
};

Apart apart(const Position& one, const Position& other) {
  Apart found;
  for (std::size_t dimension = 0; dimension < dimensions_max; ++dimension)
    if (const std::int32_t steps = std::abs(one[dimension] - other[dimension]); steps > 0) {
      found.steps += steps;
      ++found.dimensions;
    }
  return found;
}

/// The vertex whose neighbors' axes are clearest, and these: one or two opposite neighbors each.
struct Origin {
  std::int32_t vertex = -1;
  std::vector<std::vector<std::int32_t>> axes;
};

class Growth {
public:
  explicit Growth(const Graph& graph)
      : graph_(graph), is_placed_(at(graph.vertices())), position_(at(graph.vertices())) {}

  std::optional<Stencil> run() {
    const Origin origin = find_origin();
    dimensions_ = origin.axes.size();
    if (dimensions_ < 2)
      return std::nullopt;
    put(origin.vertex, {});
    for (std::size_t dimension = 0; dimension < dimensions_; ++dimension)
      for (std::size_t side = 0; side < origin.axes[dimension].size(); ++side) {
        Position position{};
        position[dimension] = side == 0 ? 1 : -1;
        put(origin.axes[dimension][side], position);
      }
    for (const int margin : {2, 1})
      grow(margin);
    while (place_unclear()) {
      grow(2);
      grow(1);
    }
    return stencil();
  }

private:
  struct Entry {
    int score;
    std::int32_t vertex;
    Position position;
    bool operator<(const Entry& other) const {
      return score != other.score ? score < other.score : vertex > other.vertex;
    }
  };

  bool is_plain(std::int32_t vertex) const { return graph_.degree(vertex) <= degree_max; }

  int common(std::int32_t one, std::int32_t other) const {
    int count = 0;
    for (const std::int32_t neighbor : graph_.neighbors(one))
      count += std::ranges::binary_search(graph_.neighbors(other), neighbor) ? 1 : 0;
    return count;
  }

  /// Neighbors are opposite where they share none but the vertex.
  std::vector<std::vector<std::int32_t>> axes_at(std::int32_t vertex) const {
    std::vector<std::vector<std::int32_t>> axes;
    for (const std::int32_t neighbor : graph_.neighbors(vertex)) {
      std::vector<std::vector<std::int32_t>*> opposite;
      for (auto& axis : axes)
        if (common(axis.front(), neighbor) == 1)
          opposite.push_back(&axis);
      if (opposite.size() > 1 || (opposite.size() == 1 && opposite.front()->size() > 1))
        return {};
      if (opposite.empty())
        axes.push_back({neighbor});
      else
        opposite.front()->push_back(neighbor);
    }
    return axes.size() <= dimensions_max ? axes : std::vector<std::vector<std::int32_t>>{};
  }

  Origin find_origin() const {
    constexpr std::int32_t looked_at_max = 4096;
    Origin best;
    std::size_t best_two_sided = 0;
    const std::int32_t step = std::max(graph_.vertices() / looked_at_max, 1);
    for (std::int32_t vertex = 0; vertex < graph_.vertices(); vertex += step) {
      if (graph_.degree(vertex) < 2 || graph_.degree(vertex) > 2 * dimensions_max)
        continue;
      auto axes = axes_at(vertex);
      const auto two_sided = static_cast<std::size_t>(
          std::ranges::count_if(axes, [](const auto& axis) { return axis.size() == 2; }));
      // An edge that crosses the grid looks like an axis with one side.
      const std::size_t one_sided = axes.size() - two_sided;
      if (two_sided > best_two_sided ||
          (two_sided == best_two_sided && best.vertex >= 0 && two_sided > 0 &&
           one_sided < best.axes.size() - best_two_sided) ||
          (best_two_sided == 0 && two_sided == 0 && axes.size() > best.axes.size())) {
        best = {vertex, std::move(axes)};
        best_two_sided = two_sided;
      }
    }
    return best;
  }

  void put(std::int32_t vertex, const Position& position) {
    if (is_placed_[at(vertex)] || !taken_.try_emplace(key(position), vertex).second)
      return;
    is_placed_[at(vertex)] = true;
    position_[at(vertex)] = position;
    ++placed_;
    for (const std::int32_t other : graph_.neighbors(vertex))
      if (!is_placed_[at(other)] && is_plain(other))
        touched_.push_back(other);
  }

  /// By how much a vertex's neighbors that have places speak for this one.
  int votes(std::int32_t vertex, const Position& position) const {
    int sum = 0;
    for (const std::int32_t other : graph_.neighbors(vertex)) {
      if (!is_placed_[at(other)])
        continue;
      const Apart found = apart(position, position_[at(other)]);
      const bool may_be_around = found.dimensions == 1 && found.steps > 3; // where a ring closes
      sum += found.steps == 1 ? 4 : may_be_around ? 0 : -3;
    }
    return sum;
  }

  /// The same of the neighbors of one neighbor: those straight across share none but that one, and those
  /// around the corner another one.
  int votes_across(std::int32_t vertex, std::int32_t by, const Position& position) const {
    int sum = 0;
    for (const std::int32_t other : graph_.neighbors(by)) {
      if (other == vertex || !is_placed_[at(other)] ||
          apart(position_[at(by)], position_[at(other)]).steps != 1)
        continue;
      const bool is_corner = common(vertex, other) > 1;
      sum += (apart(position, position_[at(other)]).dimensions == 2) == is_corner ? 1 : -1;
    }
    return sum;
  }

  /// The place that most speaks for, if it is ahead of the next by the margin.
  std::optional<Entry> best_place(std::int32_t vertex, int margin) const {
    Entry best{0, vertex, {}};
    int second = 0;
    std::vector<std::uint64_t> seen;
    for (const std::int32_t by : graph_.neighbors(vertex)) {
      if (!is_placed_[at(by)] || !is_plain(by))
        continue;
      for (std::size_t side = 0; side < 2 * dimensions_; ++side) {
        Position position = position_[at(by)];
        position[side / 2] += side % 2 == 0 ? 1 : -1;
        const std::uint64_t own = key(position);
        if (std::abs(position[side / 2]) >= extent_max || taken_.contains(own) ||
            std::ranges::find(seen, own) != seen.end())
          continue;
        seen.push_back(own);
        const int score = 2 * votes(vertex, position) + votes_across(vertex, by, position);
        if (score > best.score) {
          second = best.score;
          best = {score, vertex, position};
        } else {
          second = std::max(second, score);
        }
      }
    }
    return best.score - second >= margin ? std::optional(best) : std::nullopt;
  }

  void grow(int margin) {
    std::priority_queue<Entry> queue;
    const auto look = [&](std::int32_t vertex) {
      if (!is_placed_[at(vertex)])
        if (const auto entry = best_place(vertex, margin))
          queue.push(*entry);
    };
    for (const std::int32_t vertex : unclear_)
      look(vertex);
    while (true) {
      for (const std::int32_t vertex : touched_) {
        look(vertex);
        unclear_.push_back(vertex);
      }
      touched_.clear();
      if (queue.empty())
        break;
      const Entry next = queue.top();
      queue.pop();
      if (is_placed_[at(next.vertex)])
        continue;
      // What it was found by may have changed.
      const auto now = best_place(next.vertex, margin);
      if (now && now->score >= next.score)
        put(now->vertex, now->position);
      else if (now)
        queue.push(*now);
    }
    std::ranges::sort(unclear_);
    const auto last = std::ranges::unique(unclear_);
    unclear_.erase(last.begin(), last.end());
    std::erase_if(unclear_, [&](std::int32_t vertex) { return is_placed_[at(vertex)]; });
  }

  /// Where a ring closes, both ends are as good: puts one vertex to one of them, which others follow.
  bool place_unclear() {
    while (!unclear_.empty()) {
      const std::int32_t vertex = unclear_.back();
      unclear_.pop_back();
      if (is_placed_[at(vertex)])
        continue;
      if (const auto entry = best_place(vertex, 0); entry && entry->score > 0) {
        put(vertex, entry->position);
        return true;
      }
    }
    return false;
  }

  std::optional<Stencil> stencil() const {
    constexpr double placed_min = 0.9;
    const auto talking =
        std::ranges::count_if(std::views::iota(0, graph_.vertices()),
                              [&](std::int32_t vertex) { return graph_.degree(vertex) > 0; });
    if (static_cast<double>(placed_) < placed_min * static_cast<double>(talking))
      return std::nullopt;
    Position low{};
    Position high{};
    for (std::size_t vertex = 0; vertex < position_.size(); ++vertex)
      for (std::size_t dimension = 0; dimension < dimensions_ && is_placed_[vertex]; ++dimension) {
        low[dimension] = std::min(low[dimension], position_[vertex][dimension]);
        high[dimension] = std::max(high[dimension], position_[vertex][dimension]);
      }
    Stencil found;
    std::int64_t places = 1;
    for (std::size_t dimension = 0; dimension < dimensions_; ++dimension) {
      found.extents.push_back(high[dimension] - low[dimension] + 1);
      if ((places *= found.extents.back()) > 2 * placed_)
        return std::nullopt;
      found.shapes.push_back(closes(dimension, found.extents.back()) ? Shape::ring : Shape::row);
    }
    found.places = static_cast<std::int32_t>(places);
    found.coordinates.assign(position_.size() * dimensions_, -1);
    for (std::size_t vertex = 0; vertex < position_.size(); ++vertex)
      for (std::size_t dimension = 0; dimension < dimensions_ && is_placed_[vertex]; ++dimension)
        found.coordinates[vertex * dimensions_ + dimension] = position_[vertex][dimension] - low[dimension];
    return found;
  }

  /// Do most lines of a dimension have an edge from end to end?
  bool closes(std::size_t dimension, std::int32_t extent) const {
    constexpr std::int32_t ring_min = 3;
    std::int64_t count = 0;
    for (std::int32_t vertex = 0; vertex < graph_.vertices(); ++vertex)
      for (const std::int32_t other : graph_.neighbors(vertex)) {
        if (!is_placed_[at(vertex)] || !is_placed_[at(other)])
          continue;
        const auto& [steps, dimensions] = apart(position_[at(vertex)], position_[at(other)]);
        count += dimensions == 1 && steps == extent - 1 &&
                         position_[at(vertex)][dimension] != position_[at(other)][dimension]
                     ? 1
                     : 0;
      }
    return extent >= ring_min && count * extent > placed_; // of both rows of each edge: half of the lines
  }

  const Graph& graph_;
  std::size_t dimensions_ = 0;
  std::vector<bool> is_placed_;
  std::vector<Position> position_;
  std::unordered_map<std::uint64_t, std::int32_t> taken_;
  std::vector<std::int32_t> touched_; ///< that have got another neighbor with a place
  std::vector<std::int32_t> unclear_;
  std::int64_t placed_ = 0;
};

} // namespace

std::optional<Stencil> grown_grid(const Graph& graph) {
  return Growth(graph).run();
}

} // namespace thalweg::place

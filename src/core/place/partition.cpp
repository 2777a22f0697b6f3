// SPDX-License-Identifier: BSD-3-Clause
#include "place/partition.hpp"

#include "base/assertion.hpp"
#include "place/graph_cut.hpp"
#include "place/mapping.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

namespace thalweg::place {

namespace {

class RecursiveCuts {
public:
  /// Sizes of tasks, and of the parts that they are to have together, about; `slack` is a part of a part's
  /// size.
  RecursiveCuts(const Graph& graph, std::vector<std::int32_t> sizes,
                const std::vector<std::int32_t>& part_sizes, double slack, Random& random)
      : graph_(graph), sizes_(std::move(sizes)), part_sizes_(part_sizes), slack_(slack), random_(random),
        part_of_(sizes_.size()), number_(sizes_.size(), -1) {
    std::vector<std::int32_t> tasks(sizes_.size());
    std::iota(tasks.begin(), tasks.end(), 0);
    split(tasks, 0, part_sizes.size());
  }

  std::vector<std::int32_t> take() { return std::move(part_of_); }

private:
  std::int64_t wanted(std::size_t first, std::size_t last) const {
    const auto parts = std::span(part_sizes_).subspan(first, last - first);
    return std::accumulate(parts.begin(), parts.end(), std::int64_t{0});
  }

  void split(const std::vector<std::int32_t>& tasks, std::size_t first, std::size_t last) {
    if (last - first == 1) {
      for (const std::int32_t task : tasks)
        part_of_[at(task)] = static_cast<std::int32_t>(first);
      return;
    }
    const CutGraph inner = inside(tasks);
    const std::size_t middle = first + (last - first) / 2;
    const double total = std::accumulate(inner.sizes.begin(), inner.sizes.end(), 0.0);
    // What is here may be a little more or less than was wanted.
    const double half =
        total * static_cast<double>(wanted(first, middle)) / static_cast<double>(wanted(first, last));
    const Sides sides =
        cut(inner, static_cast<std::int32_t>(half), static_cast<std::int32_t>(slack_ * half), random_);
    std::array<std::vector<std::int32_t>, 2> side;
    for (std::size_t index = 0; index < tasks.size(); ++index)
      side[sides[index]].push_back(tasks[index]);
    split(side[0], first, middle);
    split(side[1], middle, last);
  }

  CutGraph inside(const std::vector<std::int32_t>& tasks) {
    for (std::size_t index = 0; index < tasks.size(); ++index)
      number_[at(tasks[index])] = static_cast<std::int32_t>(index);
    CutGraph inner;
    inner.pull.assign(tasks.size(), 0);
    for (const std::int32_t task : tasks) {
      inner.sizes.push_back(sizes_[at(task)]);
      const auto neighbors = graph_.neighbors(task);
      for (std::size_t edge = 0; edge < neighbors.size(); ++edge)
        if (const std::int32_t other = number_[at(neighbors[edge])]; other >= 0) {
          inner.neighbors.push_back(other);
          inner.bytes.push_back(graph_.bytes(task)[edge]);
        }
      inner.begin.push_back(inner.neighbors.size());
    }
    for (const std::int32_t task : tasks)
      number_[at(task)] = -1;
    return inner;
  }

  const Graph& graph_;
  std::vector<std::int32_t> sizes_;
  std::vector<std::int32_t> part_sizes_;
  double slack_;
  Random& random_;
  std::vector<std::int32_t> part_of_;
  std::vector<std::int32_t> number_; ///< of each task among those that are being cut, else -1
};

} // namespace

std::vector<double> part_weights(const std::vector<std::int32_t>& part_of, const std::vector<double>& weights,
                                 std::int32_t parts) {
  THALWEG_ASSERT(light, part_of.size() == weights.size());
  std::vector<double> sums(at(parts));
  for (std::size_t task = 0; task < part_of.size(); ++task)
    sums[at(part_of[task])] += weights[task];
  return sums;
}

std::vector<std::int32_t> partition(const Graph& graph, const std::vector<double>& weights,
                                    std::int32_t parts, double imbalance, Random& random) {
  THALWEG_ASSERT(light, parts >= 1 && at(graph.vertices()) == weights.size());
  // Cuts count in whole numbers: fine ones, of which the sum fits.
  constexpr double whole = 1 << 30;
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  const double room = whole - static_cast<double>(weights.size());
  std::vector<std::int32_t> sizes;
  for (const double weight : weights)
    sizes.push_back(total > 0 ? 1 + static_cast<std::int32_t>(weight / total * room) : 1);
  const int levels = std::bit_width(static_cast<std::uint32_t>(parts - 1));
  return RecursiveCuts(graph, std::move(sizes), std::vector(at(parts), 1), imbalance / std::max(levels, 1),
                       random)
      .take();
}

std::vector<std::int32_t> partition(const Graph& graph, const std::vector<std::int32_t>& part_sizes,
                                    Random& random) {
  THALWEG_ASSERT(light, std::accumulate(part_sizes.begin(), part_sizes.end(), 0) == graph.vertices());
  std::vector<std::int32_t> part_of =
      RecursiveCuts(graph, std::vector(at(graph.vertices()), 1), part_sizes, 0, random).take();
  THALWEG_ASSERT(heavy, std::ranges::equal(part_weights(part_of, std::vector(part_of.size(), 1.0),
                                                        static_cast<std::int32_t>(part_sizes.size())),
                                           part_sizes));
  return part_of;
}

} // namespace thalweg::place

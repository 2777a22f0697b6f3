// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Who talks to whom, as searches want it: both directions added up, rows by task.

#include "base/assertion.hpp"
#include "pattern/matrix.hpp"
#include "place/mapping.hpp"

#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace thalweg::place {

/// Vertices are tasks; those behind the pattern's own stand for slots that stay empty, and have no neighbors.
class Graph {
public:
  /// Of a pattern's bytes. Pairs without bytes are no neighbors. Needs vertices >= tasks. O(edges log edges).
  Graph(const pattern::Matrix& matrix, std::int32_t vertices) : begin_(at(vertices) + 1) {
    THALWEG_ASSERT(light, vertices >= matrix.tasks());
    const pattern::Matrix both = symmetric(matrix);
    for (const pattern::Edge& edge : both.edges()) {
      if (edge.bytes <= 0)
        continue;
      ++begin_[at(edge.from) + 1];
      neighbors_.push_back(edge.to);
      bytes_.push_back(edge.bytes);
    }
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    count_bytes();
  }
  /// From rows: vertex v has neighbors[begin[v]] .. neighbors[begin[v + 1] - 1]; each edge is in both rows.
  Graph(std::vector<std::size_t> begin, std::vector<std::int32_t> neighbors, std::vector<double> bytes)
      : begin_(std::move(begin)), neighbors_(std::move(neighbors)), bytes_(std::move(bytes)) {
    THALWEG_ASSERT(light, begin_.back() == neighbors_.size() && neighbors_.size() == bytes_.size());
    count_bytes();
  }

  std::int32_t vertices() const { return static_cast<std::int32_t>(begin_.size()) - 1; }
  std::size_t degree(std::int32_t vertex) const {
    THALWEG_ASSERT(normal, vertex >= 0 && vertex < vertices());
    return begin_[at(vertex) + 1] - begin_[at(vertex)];
  }
  std::span<const std::int32_t> neighbors(std::int32_t vertex) const {
    return std::span(neighbors_).subspan(begin_[at(vertex)], degree(vertex));
  }
  /// Bytes both ways, by neighbor.
  std::span<const double> bytes(std::int32_t vertex) const {
    return std::span(bytes_).subspan(begin_[at(vertex)], degree(vertex));
  }
  /// Of all pairs.
  double total_bytes() const { return total_bytes_; }
  /// Both rows of each edge together: twice the edges.
  std::size_t entries() const { return neighbors_.size(); }

private:
  void count_bytes() { total_bytes_ = std::accumulate(bytes_.begin(), bytes_.end(), 0.0) / 2; }

  std::vector<std::size_t> begin_;
  std::vector<std::int32_t> neighbors_;
  std::vector<double> bytes_;
  double total_bytes_ = 0;
};

} // namespace thalweg::place

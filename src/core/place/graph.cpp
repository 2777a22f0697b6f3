// SPDX-License-Identifier: BSD-3-Clause
#include "place/graph.hpp"

#include "base/assertion.hpp"

#include <numeric>

namespace thalweg::place {

Graph::Graph(const pattern::Matrix& matrix, std::int32_t vertices)
    : begin_(static_cast<std::size_t>(vertices) + 1) {
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
  total_bytes_ = std::accumulate(bytes_.begin(), bytes_.end(), 0.0) / 2;
}

Graph::Graph(std::vector<std::size_t> begin, std::vector<std::int32_t> neighbors, std::vector<double> bytes)
    : begin_(std::move(begin)), neighbors_(std::move(neighbors)), bytes_(std::move(bytes)) {
  THALWEG_ASSERT(light, begin_.back() == neighbors_.size() && neighbors_.size() == bytes_.size());
  total_bytes_ = std::accumulate(bytes_.begin(), bytes_.end(), 0.0) / 2;
}

} // namespace thalweg::place

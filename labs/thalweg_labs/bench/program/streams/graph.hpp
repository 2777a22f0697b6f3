// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "harness.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace thalweg::bench {

/// The rows of some vertices of Graph500's R-MAT graph: vertices `first`, `first + step`, … and their
/// neighbors. Each rank draws all edges and keeps its own, so that nothing is sent.
class Graph {
public:
  Graph(int scale, int edge_factor, int first, int step);

  std::size_t rows() const { return begins_.size() - 1; }
  std::span<const std::uint32_t> neighbors(std::size_t row) const {
    return {neighbors_.data() + begins_[row], neighbors_.data() + begins_[row + 1]};
  }

private:
  std::vector<std::size_t> begins_;
  std::vector<std::uint32_t> neighbors_;
};

/// A vertex that has neighbors.
std::uint32_t root_of_graph(int scale);

} // namespace thalweg::bench

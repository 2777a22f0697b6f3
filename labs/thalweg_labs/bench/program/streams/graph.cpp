// SPDX-License-Identifier: BSD-3-Clause
#include "graph.hpp"

#include <numeric>

namespace thalweg::bench {

namespace {

struct Edge {
  std::uint32_t from, to;
};

/// One to one on numbers of `scale` bits, so that a vertex's number says nothing of how many neighbors it
/// has.
std::uint32_t scrambled(std::uint32_t vertex, int scale) {
  const std::uint32_t mask = (std::uint32_t{1} << scale) - 1;
  for (const std::uint32_t factor : {0x9e3779b1U, 0x85ebca6bU}) {
    vertex = vertex * factor & mask;
    vertex ^= vertex >> (scale / 2 + 1);
  }
  return vertex;
}

/// Each bit of an edge's ends falls into one of four quarters of the matrix, with Graph500's probabilities.
Edge edge_of(Word number, int scale) {
  constexpr auto share = [](double probability) { return static_cast<Word>(probability * 0x1p32); };
  constexpr Word a = share(0.57), ab = share(0.57 + 0.19), abc = share(0.57 + 0.19 + 0.19);
  Edge edge{0, 0};
  for (int bit = 0; bit < scale; ++bit) {
    const Word random = mixed(number * 64 + static_cast<Word>(bit) + 1) >> 32;
    const bool is_lower = random >= ab;
    const bool is_right = random >= abc || (random >= a && !is_lower);
    edge.from = edge.from << 1 | (is_lower ? 1 : 0);
    edge.to = edge.to << 1 | (is_right ? 1 : 0);
  }
  return {scrambled(edge.from, scale), scrambled(edge.to, scale)};
}

} // namespace

Graph::Graph(int scale, int edge_factor, int first, int step) {
  const auto start = static_cast<std::uint32_t>(first), stride = static_cast<std::uint32_t>(step);
  const Word vertices = Word{1} << scale;
  begins_.resize((vertices - start + stride - 1) / stride + 1);
  // Both ends have the other as a neighbor.
  const auto each_end = [&](auto use) {
    for (Word number = 0; number < vertices * static_cast<Word>(edge_factor); ++number) {
      const Edge edge = edge_of(number, scale);
      if (edge.from % stride == start)
        use(edge.from / stride, edge.to);
      if (edge.to % stride == start)
        use(edge.to / stride, edge.from);
    }
  };
  each_end([&](std::uint32_t row, std::uint32_t) { ++begins_[row + 1]; });
  std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
  neighbors_.resize(begins_.back());
  std::vector<std::size_t> ends(begins_.begin(), begins_.end() - 1);
  each_end([&](std::uint32_t row, std::uint32_t neighbor) { neighbors_[ends[row]++] = neighbor; });
}

std::uint32_t root_of_graph(int scale) {
  return edge_of(0, scale).from;
}

} // namespace thalweg::bench

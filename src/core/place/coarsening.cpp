// SPDX-License-Identifier: BSD-3-Clause
#include "place/graph_cut.hpp"

#include "place/index.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

namespace thalweg::place {

namespace {

using Numbers = std::vector<std::int32_t>;

/// A partner for each vertex, itself where it stays alone; those without neighbors pair up among themselves.
Numbers matched(const CutGraph& graph, Random& random) {
  Numbers order(graph.sizes.size());
  std::iota(order.begin(), order.end(), 0);
  for (std::int32_t left = graph.vertices(); left > 1; --left)
    std::swap(order[at(left - 1)], order[at(random.below(left))]);
  Numbers partner(order.size(), -1);
  std::int32_t lonely = -1;
  for (const std::int32_t vertex : order) {
    if (partner[at(vertex)] >= 0)
      continue;
    std::int32_t best = -1;
    double best_bytes = 0;
    for (std::size_t edge = graph.begin[at(vertex)]; edge < graph.begin[at(vertex) + 1]; ++edge) {
      const std::int32_t other = graph.neighbors[edge];
      const double bytes =
          graph.bytes[edge] / graph.sizes[at(other)]; // light ones first, so that sizes stay alike
      if (partner[at(other)] < 0 && bytes > best_bytes) {
        best = other;
        best_bytes = bytes;
      }
    }
    if (best < 0 && graph.begin[at(vertex)] == graph.begin[at(vertex) + 1])
      std::swap(best, lonely);
    if (best < 0 && graph.begin[at(vertex)] == graph.begin[at(vertex) + 1]) {
      lonely = vertex;
      continue;
    }
    partner[at(vertex)] = best < 0 ? vertex : best;
    if (best >= 0)
      partner[at(best)] = vertex;
  }
  if (lonely >= 0)
    partner[at(lonely)] = lonely;
  return partner;
}

} // namespace

Coarse coarsened(const CutGraph& graph, Random& random) {
  const Numbers partner = matched(graph, random);
  Coarse coarse{{}, Numbers(partner.size(), -1)};
  Numbers seen(partner.size(), -1);               // the coarse vertex for which a neighbor was last found
  std::vector<std::size_t> where(partner.size()); // and its entry
  for (std::int32_t vertex = 0; vertex < graph.vertices(); ++vertex)
    if (partner[at(vertex)] >= vertex) {
      coarse.part_of[at(vertex)] = coarse.part_of[at(partner[at(vertex)])] = coarse.graph.vertices();
      coarse.graph.sizes.push_back(0);
    }
  CutGraph& next = coarse.graph;
  next.pull.resize(next.sizes.size());
  for (std::int32_t vertex = 0; vertex < graph.vertices(); ++vertex) {
    if (partner[at(vertex)] < vertex)
      continue;
    const std::int32_t own = coarse.part_of[at(vertex)];
    const std::array members{vertex, partner[at(vertex)]};
    for (const std::int32_t member : std::span(members).first(members[0] == members[1] ? 1 : 2)) {
      next.sizes[at(own)] += graph.sizes[at(member)];
      next.pull[at(own)] += graph.pull[at(member)];
      for (std::size_t edge = graph.begin[at(member)]; edge < graph.begin[at(member) + 1]; ++edge) {
        const std::int32_t other = coarse.part_of[at(graph.neighbors[edge])];
        if (other == own)
          continue;
        if (seen[at(other)] != own) {
          seen[at(other)] = own;
          where[at(other)] = next.neighbors.size();
          next.neighbors.push_back(other);
          next.bytes.push_back(0);
        }
        next.bytes[where[at(other)]] += graph.bytes[edge];
      }
    }
    next.begin.push_back(next.neighbors.size());
  }
  return coarse;
}

} // namespace thalweg::place

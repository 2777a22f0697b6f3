// SPDX-License-Identifier: BSD-3-Clause
#include "place/outline.hpp"

#include "place/grid_growth.hpp"
#include "place/mapping.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace thalweg::place {

namespace {

constexpr double work_max = 3e8; ///< steps of what looks at neighbors' neighbors

using Keeps = std::function<bool(std::int32_t from, std::size_t edge)>;

Graph filtered(const Graph& graph, const Keeps& keeps) {
  std::vector<std::size_t> begin = {0};
  std::vector<std::int32_t> neighbors;
  std::vector<double> bytes;
  for (std::int32_t vertex = 0; vertex < graph.vertices(); ++vertex) {
    for (std::size_t edge = 0; edge < graph.degree(vertex); ++edge)
      if (keeps(vertex, edge)) {
        neighbors.push_back(graph.neighbors(vertex)[edge]);
        bytes.push_back(graph.bytes(vertex)[edge]);
      }
    begin.push_back(neighbors.size());
  }
  return {std::move(begin), std::move(neighbors), std::move(bytes)};
}

/// Steps of looking at all neighbors of both ends of each edge.
double work(const Graph& graph) {
  double sum = 0;
  for (std::int32_t vertex = 0; vertex < graph.vertices(); ++vertex)
    for (const std::int32_t other : graph.neighbors(vertex))
      sum += static_cast<double>(graph.degree(vertex)) + static_cast<double>(graph.degree(other));
  return sum;
}

std::size_t shared(std::span<const std::int32_t> one, std::span<const std::int32_t> other) {
  std::size_t count = 0;
  for (std::size_t a = 0, b = 0; a < one.size() && b < other.size();) {
    count += one[a] == other[b] ? 1 : 0;
    const bool is_first = one[a] <= other[b];
    b += other[b] <= one[a] ? 1 : 0;
    a += is_first ? 1 : 0;
  }
  return count;
}

std::vector<double> sorted_weights(const Graph& graph) {
  std::vector<double> weights;
  for (std::int32_t vertex = 0; vertex < graph.vertices(); ++vertex)
    weights.insert(weights.end(), graph.bytes(vertex).begin(), graph.bytes(vertex).end());
  std::ranges::sort(weights);
  return weights;
}

} // namespace

Graph without_light_edges(const Graph& graph) {
  constexpr double part_max = 0.01;
  const std::vector<double> weights = sorted_weights(graph);
  const double sum_max = part_max * 2 * graph.total_bytes(); // each edge is in two rows
  double weight_min = 0;
  double sum = 0;
  for (std::size_t first = 0; first < weights.size();) {
    weight_min = weights[first];
    for (; first < weights.size() && weights[first] == weight_min; ++first)
      sum += weight_min;
    if (sum > sum_max)
      break;
  }
  return filtered(graph,
                  [&](std::int32_t from, std::size_t edge) { return graph.bytes(from)[edge] >= weight_min; });
}

Graph above_widest_gap(const Graph& graph) {
  constexpr double part_min = 0.5; // of the bytes, that are above
  const std::vector<double> weights = sorted_weights(graph);
  double widest = 1;
  double weight_min = 0;
  double above = 2 * graph.total_bytes();
  for (std::size_t next = 1; next < weights.size(); ++next) {
    above -= weights[next - 1];
    if (above < part_min * 2 * graph.total_bytes())
      break;
    if (const double gap = weights[next] / weights[next - 1]; gap > widest) {
      widest = gap;
      weight_min = weights[next];
    }
  }
  return filtered(graph,
                  [&](std::int32_t from, std::size_t edge) { return graph.bytes(from)[edge] >= weight_min; });
}

Graph without_diagonals(const Graph& graph) {
  constexpr double part_min = 0.55; // between two thirds and four ninths
  constexpr double kept_min = 0.15; // of the edges: of 27 points six are faces
  constexpr double degree_min = 5;
  if (graph.entries() < degree_min * graph.vertices() || work(graph) > work_max)
    return graph;
  Graph found = filtered(graph, [&](std::int32_t from, std::size_t edge) {
    const std::int32_t to = graph.neighbors(from)[edge];
    const double seen = static_cast<double>(shared(graph.neighbors(from), graph.neighbors(to))) + 2;
    return seen > part_min * (static_cast<double>(std::max(graph.degree(from), graph.degree(to))) + 1);
  });
  return static_cast<double>(found.entries()) < kept_min * static_cast<double>(graph.entries())
             ? graph
             : std::move(found);
}

Graph without_crossing_edges(const Graph& graph) {
  constexpr double kept_min = 0.8;
  constexpr std::size_t degree_max = 64; // a vertex of more is in squares by chance
  if (work(graph) * static_cast<double>(graph.entries()) / std::max(graph.vertices(), 1) > work_max)
    return graph;
  Graph found = filtered(graph, [&](std::int32_t from, std::size_t edge) {
    const std::int32_t to = graph.neighbors(from)[edge];
    if (graph.degree(from) > degree_max || graph.degree(to) > degree_max)
      return false;
    return std::ranges::any_of(graph.neighbors(from), [&](std::int32_t other) {
      return other != to && shared(graph.neighbors(other), graph.neighbors(to)) > 1; // one is `from`
    });
  });
  return static_cast<double>(found.entries()) < kept_min * static_cast<double>(graph.entries())
             ? graph
             : std::move(found);
}

std::optional<Stencil> outlined(const Graph& graph) {
  constexpr double degree_max = 64;
  if (graph.entries() == 0)
    return std::nullopt;
  const Graph heavy = without_light_edges(graph);
  const Graph heaviest = above_widest_gap(heavy);
  if (static_cast<double>(heavy.entries()) > degree_max * heavy.vertices())
    return std::nullopt;
  const Graph faces = without_diagonals(graph);
  const Graph heavy_faces = without_diagonals(heavy);
  for (const Graph* part : {&heavy, &heaviest, &faces, &heavy_faces})
    if (part->entries() < graph.entries())
      if (auto found = recognized(*part))
        return found;
  for (const Graph* part : {&heavy_faces, &faces, &heaviest})
    if (auto found = grown_grid(without_crossing_edges(*part)))
      return found;
  return std::nullopt;
}

} // namespace thalweg::place

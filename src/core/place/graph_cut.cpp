// SPDX-License-Identifier: BSD-3-Clause
#include "place/graph_cut.hpp"

#include "base/assertion.hpp"
#include "place/mapping.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <queue>
#include <span>

namespace thalweg::place {

namespace {

constexpr std::int32_t coarse_enough = 48;

std::int32_t side_size(const CutGraph& graph, const Sides& sides) {
  std::int32_t size = 0;
  for (std::size_t vertex = 0; vertex < sides.size(); ++vertex)
    if (sides[vertex] == 0)
      size += graph.sizes[vertex];
  return size;
}

/// Side 0 grows from a vertex, always by the one that costs least, until it has its size.
Sides grown_side(const CutGraph& graph, std::int32_t first, std::int32_t seed) {
  Sides sides(graph.sizes.size(), 1);
  std::vector<double> gains(graph.pull.begin(), graph.pull.end());
  for (std::size_t vertex = 0; vertex < gains.size(); ++vertex)
    for (std::size_t edge = graph.begin[vertex]; edge < graph.begin[vertex + 1]; ++edge)
      gains[vertex] -= graph.bytes[edge];
  std::priority_queue<std::pair<double, std::int32_t>> queue;
  std::int32_t size = 0;
  const auto take = [&](std::int32_t vertex) {
    sides[static_cast<std::size_t>(vertex)] = 0;
    size += graph.sizes[static_cast<std::size_t>(vertex)];
    for (std::size_t edge = graph.begin[static_cast<std::size_t>(vertex)];
         edge < graph.begin[static_cast<std::size_t>(vertex) + 1]; ++edge) {
      const auto other = static_cast<std::size_t>(graph.neighbors[edge]);
      gains[other] += 2 * graph.bytes[edge];
      if (sides[other] == 1)
        queue.push({gains[other], graph.neighbors[edge]});
    }
  };
  take(seed);
  for (std::int32_t next = 0; size < first;) {
    while (!queue.empty() && sides[static_cast<std::size_t>(queue.top().second)] == 0)
      queue.pop();
    if (!queue.empty()) {
      const std::int32_t vertex = queue.top().second;
      queue.pop();
      take(vertex);
      continue;
    }
    while (sides[static_cast<std::size_t>(next)] == 0)
      ++next;
    take(next);
  }
  return sides;
}

Sides first_sides(const CutGraph& graph, std::int32_t first, Random& random) {
  constexpr int tries = 6;
  const std::int32_t slack = *std::ranges::max_element(graph.sizes) / 2;
  Sides best;
  double best_cost = 0;
  std::int32_t best_off = 0;
  for (int attempt = 0; attempt < tries; ++attempt) {
    const auto drawn = std::ranges::max_element(graph.pull) - graph.pull.begin();
    Sides sides = grown_side(
        graph, first, attempt == 0 ? static_cast<std::int32_t>(drawn) : random.below(graph.vertices()));
    refine(graph, sides, first, slack);
    const std::int32_t off = std::max(std::abs(side_size(graph, sides) - first), slack);
    const double cost = cut_cost(graph, sides);
    if (best.empty() || off < best_off || (off == best_off && cost < best_cost)) {
      best = std::move(sides);
      best_cost = cost;
      best_off = off;
    }
  }
  return best;
}

} // namespace

double cut_cost(const CutGraph& graph, const Sides& sides) {
  double twice = 0;
  double pulled = 0;
  for (std::size_t vertex = 0; vertex < sides.size(); ++vertex) {
    if (sides[vertex] == 1)
      pulled += graph.pull[vertex];
    for (std::size_t edge = graph.begin[vertex]; edge < graph.begin[vertex + 1]; ++edge)
      if (sides[static_cast<std::size_t>(graph.neighbors[edge])] != sides[vertex])
        twice += graph.bytes[edge];
  }
  return twice / 2 + pulled;
}

Sides cut(const CutGraph& graph, std::int32_t first, std::int32_t slack, Random& random) {
  THALWEG_ASSERT(light, first >= 0 && slack >= 0);
  if (graph.vertices() == 0)
    return {};
  std::vector<Coarse> levels;
  const auto finest = [&](std::size_t level) -> const CutGraph& {
    return level == 0 ? graph : levels[level - 1].graph;
  };
  constexpr double shrinks = 0.9;
  while (finest(levels.size()).vertices() > coarse_enough) {
    Coarse next = coarsened(finest(levels.size()), random);
    if (next.graph.vertices() > shrinks * finest(levels.size()).vertices())
      break;
    levels.push_back(std::move(next));
  }
  Sides sides = first_sides(finest(levels.size()), first, random);
  for (std::size_t level = levels.size(); level > 0; --level) {
    const std::vector<std::int32_t>& part_of = levels[level - 1].part_of;
    Sides fine(part_of.size());
    for (std::size_t vertex = 0; vertex < fine.size(); ++vertex)
      fine[vertex] = sides[static_cast<std::size_t>(part_of[vertex])];
    sides = std::move(fine);
    const CutGraph& own = finest(level - 1);
    refine(own, sides, first, level == 1 ? slack : std::max(slack, *std::ranges::max_element(own.sizes) / 2));
  }
  if (levels.empty())
    refine(graph, sides, first, slack);
  // What refinement left over is evened out by single moves.
  std::int32_t over = side_size(graph, sides) - first;
  for (std::size_t vertex = 0; std::abs(over) > slack && vertex < sides.size(); ++vertex) {
    const std::int32_t after = over + (sides[vertex] == 0 ? -graph.sizes[vertex] : graph.sizes[vertex]);
    if (std::abs(after) < std::abs(over)) {
      over = after;
      sides[vertex] ^= 1U;
    }
  }
  THALWEG_ASSERT(heavy, std::ranges::max(graph.sizes) > 1 || first > graph.vertices() ||
                            std::abs(side_size(graph, sides) - first) <= slack);
  return sides;
}

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
  THALWEG_ASSERT(light,
                 graph.pull.size() == graph.sizes.size() && graph.begin.size() == graph.sizes.size() + 1);
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
  THALWEG_ASSERT(heavy, std::reduce(next.sizes.begin(), next.sizes.end()) ==
                            std::reduce(graph.sizes.begin(), graph.sizes.end()));
  return coarse;
}

} // namespace thalweg::place

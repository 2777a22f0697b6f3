// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/edges.hpp"

#include "base/arithmetic.hpp"

#include <algorithm>

namespace thalweg::strategies {

using schedule::After;

Edges edges_of(const Builder& b) {
  const schedule::Neighborhood& own = (*b.problem().neighborhoods)[static_cast<std::size_t>(b.rank())];
  Edges edges;
  std::vector<std::int32_t> loops;
  for (std::int32_t unit = 0; unit < std::ssize(own.destinations); ++unit)
    if (const Rank peer = own.destinations[static_cast<std::size_t>(unit)]; peer != b.rank())
      edges.sends.push_back({peer, unit});
    else
      loops.push_back(unit);
  for (std::int32_t unit = 0; unit < std::ssize(own.sources); ++unit)
    if (const Rank peer = own.sources[static_cast<std::size_t>(unit)]; peer != b.rank())
      edges.receives.push_back({peer, unit});
    else
      edges.loops.emplace_back(loops.at(edges.loops.size()), unit);
  return edges;
}

void sort_by_distance(Edges& edges, Rank rank, std::int32_t ranks) {
  std::ranges::stable_sort(edges.sends, {},
                           [=](const Edge& edge) { return modulo(edge.peer - rank, ranks); });
  std::ranges::stable_sort(edges.receives, {},
                           [=](const Edge& edge) { return modulo(rank - edge.peer, ranks); });
}

void append_edges(Builder& b, const Edges& edges, std::size_t window,
                  const std::function<schedule::BlockList(std::int32_t)>& sent) {
  const auto earlier = [window](const After& steps) {
    return window > 0 && steps.size() >= window ? After{steps[steps.size() - window]} : After{};
  };
  for (const auto& [destination, source] : edges.loops)
    b.copy(sent(destination), schedule::output(source));
  After receives;
  for (const Edge& edge : edges.receives)
    receives.push_back(b.receive(edge.peer, schedule::output(edge.unit), earlier(receives)));
  After sends;
  for (const Edge& edge : edges.sends)
    sends.push_back(b.send(edge.peer, sent(edge.unit), earlier(sends)));
}

} // namespace thalweg::strategies

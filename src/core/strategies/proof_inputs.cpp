// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/proof_inputs.hpp"

#include <algorithm>
#include <numeric>
#include <random>

namespace thalweg::strategies {

namespace {

template <typename Function>
std::shared_ptr<const std::vector<std::int32_t>> nodes(std::int32_t ranks, Function&& node_of) {
  std::vector<std::int32_t> result;
  for (std::int32_t rank = 0; rank < ranks; ++rank)
    result.push_back(node_of(rank));
  return std::make_shared<const std::vector<std::int32_t>>(std::move(result));
}

using RankPairs = std::vector<std::pair<Rank, Rank>>;

std::shared_ptr<const std::vector<schedule::Neighborhood>> neighborhoods(std::int32_t ranks,
                                                                         const RankPairs& edges) {
  std::vector<schedule::Neighborhood> result(static_cast<std::size_t>(ranks));
  for (const auto& [from, to] : edges) {
    result[static_cast<std::size_t>(from)].destinations.push_back(to);
    result[static_cast<std::size_t>(to)].sources.push_back(from);
  }
  return std::make_shared<const std::vector<schedule::Neighborhood>>(std::move(result));
}

RankPairs random_edges(std::int32_t ranks, std::uint32_t seed) {
  std::mt19937 random(seed);
  RankPairs edges;
  const std::int32_t degree = std::min(ranks, 4);
  for (Rank from = 0; from < ranks; ++from)
    for (std::int32_t i = 0; i < degree; ++i)
      if (random() % 3 != 0)
        edges.emplace_back(from, static_cast<Rank>(random() % static_cast<std::uint32_t>(ranks)));
  std::ranges::shuffle(edges, random);
  return edges;
}

} // namespace

NodeShapes node_shapes(std::int32_t ranks) {
  NodeShapes shapes{nodes(ranks, [](std::int32_t) { return 0; })};
  if (ranks < 2)
    return shapes;
  shapes.push_back(nodes(ranks, [](std::int32_t rank) { return rank; }));
  shapes.push_back(nodes(ranks, [](std::int32_t rank) { return rank / 2; }));
  shapes.push_back(nodes(ranks, [ranks](std::int32_t rank) { return rank % ((ranks + 2) / 3); }));
  shapes.push_back(nodes(ranks, [ranks](std::int32_t rank) {
    return rank < ranks / 3 ? 0 : rank < ranks - 1 ? 1 : 2;
  }));
  return shapes;
}

NodeShapes leaf_shapes(const std::vector<std::int32_t>& nodes) {
  std::vector<std::int32_t> leaves;
  for (const std::int32_t node : nodes)
    leaves.push_back(node % 3);
  return {nullptr, std::make_shared<const std::vector<std::int32_t>>(std::move(leaves))};
}

std::shared_ptr<const std::vector<std::int32_t>> two_sockets_a_node(const std::vector<std::int32_t>& nodes) {
  std::vector<std::int32_t> sockets(nodes.size());
  std::vector<std::int32_t> seen(static_cast<std::size_t>(std::ranges::max(nodes)) +
                                 1); // of each node's ranks
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
    const std::int32_t node = nodes[rank];
    const auto second = 2 * seen[static_cast<std::size_t>(node)]++ >= std::ranges::count(nodes, node);
    sockets[rank] = 2 * node + (second ? 1 : 0);
  }
  return std::make_shared<const std::vector<std::int32_t>>(std::move(sockets));
}

NeighborhoodShapes neighborhood_shapes(std::int32_t ranks) {
  RankPairs ring;
  RankPairs complete;
  for (Rank rank = 0; rank < ranks; ++rank) {
    ring.emplace_back(rank, (rank + 1) % ranks);
    ring.emplace_back(rank, (rank + ranks - 1) % ranks);
    for (Rank other = 0; ranks <= 20 && other < ranks; ++other)
      complete.emplace_back(rank, other);
  }
  return {neighborhoods(ranks, {}), neighborhoods(ranks, ring), neighborhoods(ranks, complete),
          neighborhoods(ranks, random_edges(ranks, 1)), neighborhoods(ranks, random_edges(ranks, 2))};
}

std::shared_ptr<const schedule::RankOrders> random_orders(std::int32_t ranks, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto shuffled = [&] {
    std::vector<Rank> order(static_cast<std::size_t>(ranks));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::shuffle(order, random);
    return order;
  };
  schedule::RankOrders orders;
  orders.tour = shuffled();
  orders.places = shuffled();
  return std::make_shared<const schedule::RankOrders>(std::move(orders));
}

} // namespace thalweg::strategies

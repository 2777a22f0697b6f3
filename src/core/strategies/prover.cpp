// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/prover.hpp"

#include "schedule/buffers.hpp"
#include "strategies/order.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <random>

namespace thalweg::strategies {

namespace {

template <typename Function>
std::shared_ptr<const std::vector<std::int32_t>> nodes_by(std::int32_t ranks, Function&& node_of) {
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
  NodeShapes shapes{nodes_by(ranks, [](std::int32_t) { return 0; })};
  if (ranks < 2)
    return shapes;
  shapes.push_back(nodes_by(ranks, [](std::int32_t rank) { return rank; }));
  shapes.push_back(nodes_by(ranks, [](std::int32_t rank) { return rank / 2; }));
  shapes.push_back(nodes_by(ranks, [ranks](std::int32_t rank) { return rank % ((ranks + 2) / 3); }));
  shapes.push_back(nodes_by(ranks, [ranks](std::int32_t rank) {
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

namespace {

/// Large enough that every proven_at segment size up to a few KiB cuts the unit into several pieces.
constexpr std::int64_t sample_unit_bytes = 5000;

std::vector<schedule::Parameters> parameter_sets(const Strategy& strategy) {
  const schedule::Parameters defaults = resolve(strategy, {});
  std::vector<schedule::Parameters> sets{defaults};
  schedule::Parameters together = defaults;
  for (std::size_t i = 0; i < strategy.parameters.size(); ++i) {
    for (const std::int64_t value : strategy.parameters[i].proven_at) {
      sets.push_back(defaults);
      sets.back()[i].second = value;
    }
    if (!strategy.parameters[i].proven_at.empty())
      together[i].second = strategy.parameters[i].proven_at.front();
  }
  sets.push_back(together);
  std::ranges::sort(sets);
  sets.erase(std::ranges::unique(sets).begin(), sets.end());
  return sets;
}

std::vector<Rank> roots_of(Operation operation, std::int32_t ranks, Roots roots) {
  std::vector<Rank> result{0};
  if (!schedule::is_rooted(operation))
    return result;
  if (roots == Roots::all) {
    for (Rank root = 1; root < ranks; ++root)
      result.push_back(root);
  } else {
    for (const Rank root : {ranks / 2, ranks - 1})
      if (root > result.back())
        result.push_back(root);
  }
  return result;
}

/// Where ranks may be: their nodes, and the nodes' switches where devices may run the strategy.
std::vector<std::pair<NodeShapes::value_type, NodeShapes::value_type>> places_of(const Strategy& strategy,
                                                                                 std::int32_t ranks) {
  std::vector<std::pair<NodeShapes::value_type, NodeShapes::value_type>> found;
  for (const auto& nodes : strategy.uses_nodes ? node_shapes(ranks) : NodeShapes{nullptr})
    for (const auto& leaves : nodes&& strategy.offloads ? leaf_shapes(*nodes) : NodeShapes{nullptr})
      found.emplace_back(nodes, leaves);
  return found;
}

/// Beyond so many ranks an order of theirs shows nothing new.
constexpr std::int32_t renumbered_ranks = 20;

/// One more problem: all ranks in a random order, with the parameters at their defaults or at their first
/// proven values, in turns. The order is laid over a strategy by the same lines for all
/// (strategies/order.cpp), so it need not meet every value.
std::optional<Problem> renumbered(const Strategy& strategy, Problem problem) {
  if (!strategy.order_matters || problem.ranks < 2 || problem.ranks > renumbered_ranks)
    return std::nullopt;
  problem.parameters = resolve(strategy, {});
  for (std::size_t i = 0; i < strategy.parameters.size(); ++i)
    if (problem.ranks % 2 == 1 && !strategy.parameters[i].proven_at.empty())
      problem.parameters[i].second = strategy.parameters[i].proven_at.front();
  problem.parameters.back().second = static_cast<std::int64_t>(Order::tour);
  problem.orders = random_orders(problem.ranks, static_cast<std::uint32_t>(problem.ranks));
  problem.root = schedule::is_rooted(problem.operation) ? problem.ranks / 3 : 0;
  if (unsupported_reason(strategy, problem))
    return std::nullopt;
  return problem;
}

} // namespace

std::vector<Problem> obligations(const Strategy& strategy, std::int32_t ranks, Roots roots) {
  Problem base;
  base.operation = strategy.operation;
  base.ranks = ranks;
  base.unit_bytes = sample_unit_bytes;
  const bool has_neighbors =
      base.operation == Operation::neighbor_allgather || base.operation == Operation::neighbor_alltoall;

  std::vector<Problem> problems;
  for (const schedule::Parameters& parameters : parameter_sets(strategy))
    for (const Rank root : roots_of(base.operation, ranks, roots))
      for (const auto& [nodes, leaves] : places_of(strategy, ranks))
        for (const auto& neighborhoods :
             has_neighbors ? neighborhood_shapes(ranks) : NeighborhoodShapes{nullptr}) {
          Problem problem = base;
          problem.parameters = parameters;
          problem.root = root;
          problem.nodes = nodes;
          problem.leaves = leaves;
          if (nodes)
            problem.sockets = two_sockets_a_node(*nodes);
          problem.neighborhoods = neighborhoods;
          // A strategy that keeps rank order may take another way where it need not.
          for (const bool commutative :
               strategy.keeps_rank_order ? std::vector{false, true} : std::vector{true}) {
            problem.commutative = commutative;
            if (!unsupported_reason(strategy, problem))
              problems.push_back(problem);
          }
        }
  if (auto problem = renumbered(strategy, base))
    problems.push_back(*std::move(problem));
  return problems;
}

std::string describe(const Strategy& strategy, const Problem& problem) {
  std::string text =
      fmt::format("{} {}, {} ranks", schedule::name(strategy.operation), strategy.name, problem.ranks);
  if (schedule::is_rooted(problem.operation))
    text += fmt::format(", root {}", problem.root);
  for (const auto& [name, value] : problem.parameters)
    if (name != order_name || value != 0)
      text += fmt::format(", {}={}", name, value);
  if (problem.nodes)
    text += fmt::format(", {} nodes", *std::ranges::max_element(*problem.nodes) + 1);
  if (problem.leaves)
    text += fmt::format(" on {} switches", *std::ranges::max_element(*problem.leaves) + 1);
  if (!problem.commutative)
    text += ", in rank order";
  if (problem.in_place)
    text += ", in place";
  return text;
}

std::vector<std::string> prove(const Strategy& strategy, const Problem& problem) {
  std::vector<std::string> faults;
  const auto fault = [&](const Problem& about, std::string_view what) {
    faults.push_back(fmt::format("{}: {}", describe(strategy, about), what));
  };
  const std::vector<schedule::Schedule> schedules = build_all(strategy, problem);
  const schedule::Verdict verdict = schedule::verify(problem, schedules);
  for (const std::string& what : verdict.faults)
    fault(problem, what);
  if (!verdict.proven())
    return faults;
  if (schedule::is_reduction(problem.operation)) {
    if (!problem.commutative && !verdict.in_rank_order)
      fault(problem, "promises rank order but reorders operands");
    if (!verdict.same_on_all_ranks)
      fault(problem, "ranks combine their results in different orders");
  }
  if (strategy.unequal_blocks && !verdict.exact_shapes)
    fault(problem, "promises to bear unequal blocks but puts blocks where others belong");
  // With sizes that only senders and receivers know, scratch is where messages came
  // (engine/self_describing.hpp).
  if (schedule::has_private_sizes(problem.operation)) {
    const bool has_scratch =
        std::ranges::any_of(schedules, [](const auto& s) { return s.scratch_blocks > 0; });
    if (strategy.unequal_blocks && has_scratch)
      fault(problem,
            "promises to bear unequal blocks but keeps blocks in scratch, whose sizes a rank cannot know");
    if (!verdict.scratch_written_once)
      fault(problem, "writes a scratch block twice, so blocks of unequal sizes cannot be passed on");
  }
  if (strategy.in_place) {
    Problem aliased = problem;
    aliased.in_place = true;
    const schedule::Verdict in_place = schedule::verify(aliased, build_all(strategy, aliased));
    for (const std::string& what : in_place.faults)
      fault(aliased, what);
    // So it is enough that the others' order was looked at above, and ranks may differ in being in place.
    if (in_place.proven() && in_place.fingerprint != verdict.fingerprint)
      fault(aliased, "results are combined in another order than out of place");
  }
  return faults;
}

} // namespace thalweg::strategies

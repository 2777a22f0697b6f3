// SPDX-License-Identifier: BSD-3-Clause

// Strategies in another order of the ranks: proven for random permutations, and what orders a machine gives.

#include "strategies/order.hpp"

#include "strategies/index.hpp"
#include "strategies/prover.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace thalweg::strategies {
namespace {

std::vector<const Strategy*> with_the_parameter() {
  std::vector<const Strategy*> found;
  for (const Strategy& strategy : all())
    if (strategy.order_matters)
      found.push_back(&strategy);
  return found;
}

class Renumbered : public testing::TestWithParam<const Strategy*> {};

/// Any value of each parameter that the proofs try.
schedule::Parameters random_parameters(const Strategy& strategy, std::mt19937& random) {
  schedule::Parameters values = resolve(strategy, {});
  for (std::size_t i = 0; i < values.size(); ++i)
    if (const auto& choices = strategy.parameters[i].proven_at; !choices.empty() && random() % 2 == 0)
      values[i].second = choices[random() % choices.size()];
  values.back().second = 1 + random() % 2;
  return values;
}

TEST_P(Renumbered, IsProvenForRandomOrders) {
  const Strategy& strategy = *GetParam();
  std::mt19937 random(26);
  std::size_t proven = 0;
  for (const std::int32_t ranks : {2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17})
    for (int round = 0; round < 2; ++round) {
      Problem problem{.operation = strategy.operation, .ranks = ranks, .unit_bytes = 5000};
      problem.root = schedule::is_rooted(problem.operation)
                         ? static_cast<Rank>(random() % static_cast<unsigned>(ranks))
                         : 0;
      problem.parameters = random_parameters(strategy, random);
      problem.orders = random_orders(ranks, static_cast<std::uint32_t>(random()));
      if (unsupported_reason(strategy, problem))
        continue;
      ++proven;
      for (const std::string& fault : prove(strategy, problem))
        ADD_FAILURE() << fault;
    }
  EXPECT_GT(proven, 0U);
}

/// Messages that a rank's schedule sends to itself or its neighbors in the order, of all that it sends.
bool sends_to_neighbors_only(const std::vector<schedule::Schedule>& schedules,
                             const std::vector<Rank>& order) {
  for (std::size_t i = 0; i < order.size(); ++i)
    for (const schedule::Step& step : schedules[static_cast<std::size_t>(order[i])].steps)
      if (step.kind == schedule::StepKind::send && step.peer != order[(i + 1) % order.size()])
        return false;
  return true;
}

INSTANTIATE_TEST_SUITE_P(Index, Renumbered, testing::ValuesIn(with_the_parameter()),
                         [](const auto& instance) {
                           return std::string(schedule::name(instance.param->operation)) + "_" +
                                  std::string(instance.param->name);
                         });

TEST(Order, OfARingIsFollowedAndLeftOutWhereThereIsNone) {
  const Strategy& ring = find(Operation::allgather, "ring");
  Problem problem{.operation = Operation::allgather, .ranks = 12};
  problem.parameters = resolve(ring, {{"order", 1}});
  std::vector<Rank> own(12);
  std::iota(own.begin(), own.end(), 0);
  EXPECT_TRUE(sends_to_neighbors_only(build_all(ring, problem), own));
  problem.orders = random_orders(12, 3);
  EXPECT_TRUE(sends_to_neighbors_only(build_all(ring, problem), problem.orders->tour));
  problem.parameters = resolve(ring, {{"order", 2}});
  EXPECT_TRUE(sends_to_neighbors_only(build_all(ring, problem), problem.orders->places));
  problem.parameters = resolve(ring, {});
  EXPECT_TRUE(sends_to_neighbors_only(build_all(ring, problem), own));
}

TEST(Order, IsTheRanksOwnWhereOperandsHaveToStayInIt) {
  for (const Strategy* strategy : with_the_parameter()) {
    Problem problem{.operation = strategy->operation, .ranks = 8, .commutative = false};
    problem.parameters = resolve(*strategy, {{"order", 1}});
    problem.orders = random_orders(8, 1);
    EXPECT_EQ(chosen_order(problem) == nullptr, schedule::is_reduction(problem.operation)) << strategy->name;
    if (unsupported_reason(*strategy, problem))
      continue;
    EXPECT_TRUE(prove(*strategy, problem).empty()) << strategy->name;
  }
}

TEST(Order, IsNoneOfScansAndOfStrategiesThatKnowNodes) {
  for (const Strategy& strategy : all()) {
    const bool may = !strategy.uses_nodes && strategy.operation != Operation::scan &&
                     strategy.operation != Operation::exscan &&
                     strategy.operation != Operation::neighbor_allgather &&
                     strategy.operation != Operation::neighbor_alltoall;
    EXPECT_TRUE(may || !strategy.order_matters) << strategy.name;
  }
}

bool is_order(const std::vector<Rank>& order, std::size_t ranks) {
  std::vector<Rank> sorted = order;
  std::ranges::sort(sorted);
  for (std::size_t i = 0; i < sorted.size(); ++i)
    if (sorted[i] != static_cast<Rank>(i))
      return false;
  return order.empty() || order.size() == ranks;
}

TEST(RankOrders, KeepANodesRanksTogether) {
  // Dealt round robin to three nodes, as with --map-by node.
  const auto orders = rank_orders({0, 1, 2, 0, 1, 2, 0}, {}, {});
  ASSERT_TRUE(orders);
  EXPECT_EQ(orders->tour, (std::vector<Rank>{0, 3, 6, 1, 4, 2, 5}));
  EXPECT_TRUE(orders->places.empty());
  EXPECT_EQ(orders_to_try(orders.get()), (std::vector<std::int64_t>{0, 1}));
}

TEST(RankOrders, KeepASocketsRanksTogether) {
  const auto orders = rank_orders({0, 0, 0, 0}, {0, 1, 0, 1}, {});
  ASSERT_TRUE(orders);
  EXPECT_EQ(orders->tour, (std::vector<Rank>{0, 2, 1, 3}));
}

TEST(RankOrders, AreNoneWhereTheRanksOwnIsAsGood) {
  EXPECT_EQ(rank_orders({}, {}, {}), nullptr);
  EXPECT_EQ(rank_orders({0, 0, 0}, {}, {}), nullptr);
  EXPECT_EQ(rank_orders({0, 0, 1, 1}, {}, {}), nullptr);
  EXPECT_EQ(rank_orders({0, 1, 2, 3}, {}, {.network = "ring"}), nullptr);
  EXPECT_EQ(rank_orders({0, 1, 2, 3}, {}, {.network = "torus:9x9"}), nullptr); // does not fit, no places
  EXPECT_EQ(orders_to_try(nullptr), (std::vector<std::int64_t>{0}));
}

TEST(RankOrders, FollowARingRoundFromTheFirstRank) {
  const auto orders = rank_orders({0, 1, 2, 3, 4, 5}, {}, {.network = "ring", .places = {2, 0, 4, 1, 5, 3}});
  ASSERT_TRUE(orders);
  EXPECT_EQ(orders->tour, (std::vector<Rank>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(orders->places, (std::vector<Rank>{1, 3, 0, 5, 2, 4}));
  EXPECT_EQ(orders_to_try(orders.get()), (std::vector<std::int64_t>{0, 1, 2}));
}

TEST(RankOrders, AreOrdersWhateverIsKnown) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const std::size_t ranks = 1 + random() % 40;
    const auto count = static_cast<std::int32_t>(1 + random() % ranks);
    std::vector<std::int32_t> nodes(ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank)
      nodes[rank] = static_cast<std::int32_t>(rank) < count
                        ? static_cast<std::int32_t>(rank)
                        : static_cast<std::int32_t>(random() % static_cast<unsigned>(count));
    topology::NodePlaces node_places;
    const std::vector<std::string> shapes{"", "ring", "star", "torus:5x4x2", "fat-tree:4x2", "torus:2x2"};
    node_places.network = shapes[random() % shapes.size()];
    for (std::int32_t node = 0; round % 3 != 0 && node < count; ++node)
      node_places.places.push_back(static_cast<std::int32_t>(random() % 40) - (round % 10 == 1 ? 1 : 0));
    if (const auto orders = rank_orders(nodes, {}, node_places)) {
      EXPECT_TRUE(is_order(orders->tour, ranks)) << round;
      EXPECT_TRUE(is_order(orders->places, ranks)) << round;
    }
  }
}

} // namespace
} // namespace thalweg::strategies

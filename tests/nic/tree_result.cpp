// SPDX-License-Identifier: BSD-3-Clause
#include "nic/tree_result.hpp"

#include "strategies/index.hpp"

#include <bit>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>

namespace thalweg::nic {
namespace {

constexpr std::int32_t ranks = 5;
const std::vector<std::int32_t> hosts{0, 0, 1, 1, 2};

ScheduleOf reductions() {
  const strategies::Strategy& strategy = strategies::find(schedule::Operation::allreduce, "nic");
  schedule::Problem problem;
  problem.operation = schedule::Operation::allreduce;
  problem.ranks = ranks;
  problem.nodes = std::make_shared<const std::vector<std::int32_t>>(hosts);
  problem.parameters = strategies::resolve(strategy, {});
  return [&strategy, problem](Rank rank) { return strategies::build(strategy, problem, rank); };
}

std::vector<thalweg_nic_content> brought(std::uint32_t operation, std::uint16_t count) {
  std::vector<thalweg_nic_content> all(ranks);
  for (thalweg_nic_content& one : all) {
    one.operation = operation;
    one.count = count;
  }
  return all;
}

TEST(TreeResult, AddsInTheOrderOfTheTree) {
  auto all = brought(THALWEG_NIC_DOUBLE * 8 + THALWEG_NIC_SUM, 2);
  const double numbers[ranks] = {1e16, 1, 1, 1e-3, -1e16};
  for (std::size_t rank = 0; rank < ranks; ++rank)
    all[rank].words[0] = std::bit_cast<std::uint64_t>(numbers[rank]);
  // Each host adds its own ranks', then the hosts below; here all are below the first one.
  const double expected = ((numbers[0] + numbers[1]) + (numbers[2] + numbers[3])) + numbers[4];
  const thalweg_nic_content result = tree_result(reductions(), hosts, all, {});
  EXPECT_EQ(std::bit_cast<double>(result.words[0]), expected);
  EXPECT_NE(std::accumulate(numbers, numbers + ranks, 0.0), expected) << "so the order is seen";
  EXPECT_EQ(result.count, 2);
  EXPECT_EQ(result.last, 0U);
}

TEST(TreeResult, PutsBlocksAtTheirPlaces) {
  auto all = brought(THALWEG_NIC_PLACE, 1);
  for (std::uint16_t rank = 0; rank < ranks; ++rank) {
    all[rank].first = rank;
    all[rank].words[0] = 100U + rank;
  }
  const thalweg_nic_content result = tree_result(reductions(), hosts, all, {});
  EXPECT_EQ(result.count, ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    EXPECT_EQ(result.words[rank], 100U + rank);
}

TEST(TreeResult, CombinesByAnOperatorOfUsers) {
  auto all = brought(THALWEG_NIC_ELEMENT * 8, 2);
  for (thalweg_nic_content& one : all)
    one.words[0] = 3;
  const ElementOperator product{
      .combine = [](const thalweg_nic_word* from, thalweg_nic_word* into) { *into = *from * *into % 101; },
      .words = 2};
  EXPECT_EQ(tree_result(reductions(), hosts, all, product).words[0], 3 * 3 * 3 * 3 * 3 % 101U);
}

TEST(TreeResult, OfABarrierHasNoWords) {
  EXPECT_EQ(tree_result(reductions(), hosts, brought(0, 0), {}).count, 0);
}

} // namespace
} // namespace thalweg::nic

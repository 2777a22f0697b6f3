// SPDX-License-Identifier: BSD-3-Clause
#include "base/error.hpp"
#include "place/energy.hpp"
#include "place/map.hpp"
#include "place/partition.hpp"
#include "place/regions.hpp"
#include "problems.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <set>

namespace thalweg::place {
namespace {

std::vector<double> random_weights(std::mt19937& random, std::int32_t tasks) {
  std::vector<double> weights;
  for (std::int32_t task = 0; task < tasks; ++task)
    weights.push_back(static_cast<double>(random() % 6));
  return weights;
}

TEST(Shared, SlotsGetAlikeWeightsAndNothingIsWorseThanTasksInOrder) {
  std::mt19937 random(21);
  for (int round = 0; round < 60; ++round) {
    const machine::Allocation allocation = random_allocation(random);
    const auto slots = static_cast<std::int32_t>(allocation.slots.size());
    const std::int32_t tasks = slots + 1 + static_cast<std::int32_t>(random() % 40);
    const pattern::Pattern pattern = random_pattern(random, tasks);
    const Sharing sharing{random_weights(random, tasks), 0.05};
    const Options options{.goal = parse_goal(round % 2 == 0 ? "hop-bytes" : "link"), .proposals = 3000};
    const Result result = map_shared(pattern, allocation, sharing, options);
    ASSERT_EQ(result.slot_of.size(), static_cast<std::size_t>(tasks));
    for (const std::int32_t slot : result.slot_of)
      ASSERT_TRUE(slot >= 0 && slot < slots);
    EXPECT_EQ(result.placed, metrics(pattern, allocation, result.slot_of));
    EXPECT_EQ(result.identity, metrics(pattern, allocation, result.numbered));
    const auto heaviest = [&](const Slots& slot_of) {
      return std::ranges::max(part_weights(slot_of, sharing.weights, slots));
    };
    const double mean = std::accumulate(sharing.weights.begin(), sharing.weights.end(), 0.0) / slots;
    EXPECT_LE(heaviest(result.slot_of), mean + std::ranges::max(sharing.weights) + 1e-9);
    if (heaviest(result.numbered) <= mean * 1.05) {
      EXPECT_LE(value(options.goal, result.placed, result.identity), 1 + 1e-12);
    }
    EXPECT_EQ(result.slot_of, map_shared(pattern, allocation, sharing, options).slot_of);
  }
}

TEST(Shared, AlikeTasksAreDealtOutExactly) {
  std::mt19937 random(22);
  const machine::Allocation allocation = whole("mesh:4x4");
  const pattern::Pattern pattern{256, {{"", 1, mesh_pattern({16, 16}, shuffled(random, 256))}}};
  const Result result = map_shared(pattern, allocation, {}, {.proposals = 200000});
  EXPECT_EQ(part_weights(result.slot_of, std::vector<double>(256, 1), 16), std::vector<double>(16, 16));
  constexpr double squares = 2 * 2 * 3 * 16; // of 4 x 4 tasks: the optimum
  EXPECT_LE(result.placed.hop_bytes, 1.1 * squares);
}

TEST(Shared, EnoughSlotsAreNotShared) {
  const machine::Allocation allocation = whole("mesh:4x2");
  const pattern::Pattern pattern{8, {{"", 1, natural_mesh({8})}}};
  const Result result = map_shared(pattern, allocation, {}, {.proposals = 2000});
  EXPECT_EQ(std::set(result.slot_of.begin(), result.slot_of.end()).size(), 8U);
}

TEST(Shared, RefusesWhatIsNoProblem) {
  const machine::Allocation two = whole("mesh:2");
  const pattern::Pattern three{3, {{"", 1, natural_mesh({3})}}};
  EXPECT_THROW(map_shared(three, two, {{1, 1}, 0.1}), Error);
  EXPECT_THROW(map_shared(three, two, {{1, 1, -1}, 0.1}), Error);
  EXPECT_THROW(map_shared(three, two, {{1, 1, std::numeric_limits<double>::infinity()}, 0.1}), Error);
  EXPECT_THROW(map_shared(three, two, {{1, 1, 2 * pattern::amount_max}, 0.1}), Error);
  EXPECT_THROW(map_shared(three, two, {{}, -0.1}), Error);
  EXPECT_THROW(map_shared(three, {two.interconnect, {}}, {}), Error);
  EXPECT_NO_THROW(map_shared(three, two, {{0, 0, 0}, 0}, {.proposals = 100}));
}

TEST(Partition, PartsHaveTheirSizes) {
  std::mt19937 random(23);
  for (int round = 0; round < 30; ++round) {
    std::vector<std::int32_t> sizes;
    for (std::size_t parts = random() % 6 + 1; parts > 0; --parts)
      sizes.push_back(static_cast<std::int32_t>(random() % 30 + 1));
    const std::int32_t tasks = std::accumulate(sizes.begin(), sizes.end(), 0);
    const Graph graph(pattern::sum(random_pattern(random, tasks)), tasks);
    Random own(1);
    std::vector<std::int32_t> counts(sizes.size());
    for (const std::int32_t part : partition(graph, sizes, own))
      ++counts[static_cast<std::size_t>(part)];
    EXPECT_EQ(counts, sizes);
  }
}

/// So that they can be taken back in the opposite order, no exchange is of a slot with itself.
TEST(Regions, ExchangeSlotsWithOthers) {
  std::mt19937 random(24);
  Random own(1);
  std::vector<Regions::Exchange> exchanges;
  std::size_t most = 0;
  for (int round = 0; round < 200; ++round) {
    const machine::Allocation allocation = random_allocation(random);
    const Distances distances(allocation);
    const Regions regions(distances);
    EXPECT_EQ(regions.has_any(), distances.slots() >= 4);
    if (!regions.has_any())
      continue;
    regions.propose(own, exchanges);
    for (const auto& [a, b] : exchanges) {
      EXPECT_NE(a, b);
      EXPECT_TRUE(std::min(a, b) >= 0 && std::max(a, b) < distances.slots());
    }
    EXPECT_LE(exchanges.size(), allocation.slots.size() / 2 + 1);
    most = std::max(most, exchanges.size());
  }
  EXPECT_GT(most, 4U);
}

/// A cube that is turned keeps all distances within it.
TEST(Regions, TurnsKeepCubes) {
  const machine::Allocation allocation = whole("mesh:4x4x4");
  const Distances distances(allocation);
  const Regions regions(distances);
  const Graph graph(natural_mesh({2, 2, 2}), 64);
  Random own(2);
  std::vector<Regions::Exchange> exchanges;
  // Slots 0, 1, 4, 5 and those one plane above are a region.
  Mapping mapping = Mapping::identity(64);
  for (std::int32_t task = 0; task < 8; ++task)
    mapping.swap(task, mapping.task(task % 2 + 4 * (task / 2 % 2) + 16 * (task / 4)));
  ASSERT_EQ(HopBytes(graph, distances, mapping).value(), graph.total_bytes());
  int kept = 0;
  for (int round = 0; round < 1000; ++round) {
    Mapping turned = mapping;
    regions.propose(own, exchanges);
    for (const auto& [a, b] : exchanges)
      turned.swap(turned.task(a), turned.task(b));
    kept += HopBytes(graph, distances, turned).value() == graph.total_bytes() &&
            turned.slot_of != mapping.slot_of;
  }
  EXPECT_GT(kept, 30);
}

} // namespace
} // namespace thalweg::place

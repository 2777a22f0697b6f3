// SPDX-License-Identifier: BSD-3-Clause
#include "place/node_search.hpp"

#include "place/distances.hpp"
#include "place/energy.hpp"
#include "place/exhaustive.hpp"
#include "place/map.hpp"
#include "problems.hpp"

#include <gtest/gtest.h>
#include <set>

namespace thalweg::place {
namespace {

/// Each node so many times, one after another.
machine::Allocation several(std::string_view machine, const Numbers& slots) {
  machine::Allocation allocation = whole(machine);
  std::vector<topology::Place> places;
  for (std::size_t node = 0; node < allocation.slots.size(); ++node)
    places.insert(places.end(), static_cast<std::size_t>(slots[node % slots.size()]), allocation.slots[node]);
  allocation.slots = places;
  return allocation;
}

TEST(NodeSearch, FillsEachNodeAsItHasSlots) {
  std::mt19937 random(31);
  for (int round = 0; round < 40; ++round) {
    const machine::Allocation allocation =
        several("torus:4x3", {3, static_cast<std::int32_t>(random() % 4 + 1), 1});
    const auto tasks = static_cast<std::int32_t>(random() % allocation.slots.size() + 1);
    const Result result = map(random_pattern(random, tasks), allocation, {.proposals = 4000});
    EXPECT_EQ(std::set(result.slot_of.begin(), result.slot_of.end()).size(), static_cast<std::size_t>(tasks));
    for (const std::int32_t slot : result.slot_of)
      EXPECT_TRUE(slot >= 0 && slot < static_cast<std::int32_t>(allocation.slots.size()));
    EXPECT_LE(result.placed.hop_bytes, result.identity.hop_bytes);
  }
}

TEST(NodeSearch, FoldsAndExpands) {
  const machine::Allocation allocation = several("mesh:4", {2, 1});
  const Nodes nodes(allocation);
  EXPECT_TRUE(nodes.have_several());
  EXPECT_FALSE(Nodes(whole("mesh:4")).have_several());
  const Graph graph(natural_mesh({6}), 6);
  const Numbers node_of{3, 2, 2, 1, 0, 0};
  const Mapping mapping = nodes.expanded(node_of, graph);
  EXPECT_TRUE(mapping.is_permutation());
  EXPECT_EQ(nodes.folded(mapping.slot_of), node_of);
}

/// Blocks of a mesh on nodes of 16 slots: a search for single swaps alone ends a third above the optimum.
TEST(NodeSearch, FindsBlocksOfAMesh) {
  std::mt19937 random(32);
  const machine::Allocation allocation = several("mesh:4x4", {16});
  const pattern::Pattern pattern{256, {{"", 1, mesh_pattern({16, 16}, shuffled(random, 256))}}};
  const Result result = map(pattern, allocation, {.proposals = 200000});
  constexpr double blocks = 2 * 2 * 3 * 16; // of 4 x 4 tasks
  EXPECT_LE(result.placed.hop_bytes, 1.15 * blocks);
  Slots first(result.slot_of.begin(), result.slot_of.end());
  EXPECT_EQ(first, map(pattern, allocation, {.proposals = 200000}).slot_of);
}

/// All mappings, one by one.
double value_of_best(const pattern::Pattern& pattern, const machine::Allocation& allocation, const Goal& goal,
                     const Metrics& identity) {
  Numbers slots(allocation.slots.size());
  std::iota(slots.begin(), slots.end(), 0);
  double value_min = 1e300;
  do
    value_min = std::min(value_min, value(goal, metrics(pattern, allocation, slots), identity));
  while (std::ranges::next_permutation(slots).found);
  return value_min;
}

TEST(Exhaustive, IsTheLeastOfAllMappingsByEveryGoal) {
  std::mt19937 random(33);
  for (int round = 0; round < 30; ++round) {
    machine::Allocation allocation = round % 3 == 0   ? several("mesh:3", {2})
                                     : round % 3 == 1 ? whole("xgft:2x3:1x1")
                                                      : whole("torus:3x2");
    const pattern::Pattern pattern = random_pattern(
        random, static_cast<std::int32_t>(allocation.slots.size()) - static_cast<std::int32_t>(random() % 2));
    for (const char* name : {"hop-bytes", "link", "contention", "time", "hop-bytes:1,link:2"}) {
      const Goal goal = parse_goal(name);
      const Result result = map(pattern, allocation, {.goal = goal, .proposals = 1000000});
      EXPECT_NEAR(value(goal, result.placed, result.identity),
                  value_of_best(pattern, allocation, goal, result.identity), 1e-9)
          << name;
    }
  }
}

TEST(Exhaustive, SaysWhetherItIsProven) {
  const pattern::Pattern pattern{8, {{"", 1, natural_mesh({2, 4})}}};
  EXPECT_TRUE(map(pattern, whole("mesh:8"), {.proposals = 1000000}).is_proven);
  EXPECT_FALSE(map(pattern, whole("mesh:8"), {.proposals = 2000}).is_proven);
  EXPECT_FALSE(map(pattern, whole("mesh:12"), {.proposals = 1000000}).is_proven);
}

/// One task sends so much that its node's own link is the hottest wherever it is. What is between switches
/// counts all the same.
TEST(Links, BetweenSwitchesCountWhereANodesOwnIsTheHottest) {
  std::mt19937 random(34);
  const machine::Allocation allocation = whole("xgft:4x4:1x2");
  std::vector<pattern::Edge> edges{{0, 1, 1000, 1}};
  const Numbers numbers = shuffled(random, 16);
  for (std::int32_t group = 0; group < 4; ++group)
    for (std::int32_t one = 0; one < 4; ++one)
      for (std::int32_t other = 0; other < 4; ++other)
        if (one != other)
          edges.push_back({numbers[static_cast<std::size_t>(4 * group + one)],
                           numbers[static_cast<std::size_t>(4 * group + other)], 10, 1});
  const Result result =
      map({16, {{"", 1, {16, edges}}}}, allocation, {.goal = parse_goal("link"), .proposals = 100000});
  EXPECT_GE(result.placed.link_max, 1000);
  EXPECT_LE(result.placed.between_max, 500);
  EXPECT_LT(result.placed.between_max, result.identity.between_max);
  EXPECT_LE(result.placed.link_max, result.identity.link_max);
}

} // namespace
} // namespace thalweg::place

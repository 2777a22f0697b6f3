// SPDX-License-Identifier: BSD-3-Clause
#include "place/map.hpp"

#include "base/error.hpp"
#include "problems.hpp"

#include <gtest/gtest.h>
#include <set>

namespace thalweg::place {
namespace {

const std::array goals{parse_goal("hop-bytes"), parse_goal("link"), parse_goal("contention"),
                       parse_goal("time"), parse_goal("hop-bytes:1,link:2")};

void expect_injective(const Result& result, const machine::Allocation& allocation, std::int32_t tasks) {
  ASSERT_EQ(result.slot_of.size(), static_cast<std::size_t>(tasks));
  EXPECT_EQ(std::set(result.slot_of.begin(), result.slot_of.end()).size(), result.slot_of.size());
  for (const std::int32_t slot : result.slot_of)
    EXPECT_TRUE(slot >= 0 && slot < static_cast<std::int32_t>(allocation.slots.size()));
}

TEST(Map, GivesEachTaskASlotOfItsOwnAndIsNeverWorseThanIdentity) {
  std::mt19937 random(1);
  for (int round = 0; round < 100; ++round) {
    const machine::Allocation allocation = random_allocation(random);
    const auto tasks = static_cast<std::int32_t>(random() % allocation.slots.size() + 1);
    const pattern::Pattern pattern = random_pattern(random, tasks);
    for (const Goal& goal : goals) {
      const Result result = map(pattern, allocation, {.goal = goal, .proposals = 3000});
      expect_injective(result, allocation, tasks);
      EXPECT_EQ(result.placed, metrics(pattern, allocation, result.slot_of));
      EXPECT_LE(value(goal, result.placed, result.identity), 1 + 1e-12) << name(goal);
      EXPECT_EQ(result.slot_of, map(pattern, allocation, {.goal = goal, .proposals = 3000}).slot_of);
    }
  }
}

/// Patterns of which one task is all, or each task is like each other.
TEST(Map, TakesStarsAndCompletePatternsAndThoseOfNothing) {
  const machine::Allocation allocation = whole("torus:4x4");
  std::vector<pattern::Edge> star;
  std::vector<pattern::Edge> complete;
  std::vector<pattern::Edge> weightless;
  for (std::int32_t task = 1; task < 16; ++task) {
    star.push_back({0, task, 3, 1});
    weightless.push_back({0, task, 0, 1});
    for (std::int32_t other = 0; other < task; ++other)
      complete.push_back({task, other, 1, 1});
  }
  for (const auto& edges : {star, complete, weightless, std::vector<pattern::Edge>{}})
    for (const Goal& goal : goals) {
      const Result result = map({16, {{"", 1, {16, edges}}}}, allocation, {.goal = goal, .proposals = 5000});
      expect_injective(result, allocation, 16);
    }
  EXPECT_TRUE(map({16, {{"", 1, {16, complete}}}}, allocation, {.proposals = 5000}).is_identity());
  EXPECT_TRUE(map({16, {{"", 1, {16, weightless}}}}, allocation, {.proposals = 5000}).is_identity());
}

TEST(Map, FindsTheStencilAgainUnderAnyNumbering) {
  std::mt19937 random(2);
  const machine::Allocation allocation = cube(5);
  const pattern::Pattern pattern{125, {{"", 1, mesh_pattern({5, 5, 5}, shuffled(random, 125))}}};
  const Result result = map(pattern, allocation, {.proposals = 1000});
  EXPECT_EQ(result.placed.hops_per_byte, 1);
  EXPECT_EQ(result.method, "closed form");
  EXPECT_TRUE(map({125, {{"", 1, natural_mesh({5, 5, 5})}}}, allocation, {.proposals = 1000}).is_identity());
}

TEST(Map, UsesSpareSlots) {
  machine::Allocation allocation = whole("mesh:9");
  const pattern::Pattern pattern{3, {{"", 1, {3, {{0, 2, 5, 1}, {2, 1, 5, 1}}}}}};
  const Result result = map(pattern, allocation, {.proposals = 20000});
  EXPECT_EQ(result.placed.hop_bytes, 10);
}

/// Another job's load on the way forward: who sends goes around it.
TEST(Map, AvoidsLinksThatOthersLoad) {
  const machine::Allocation allocation = whole("torus:4");
  const pattern::Pattern pattern{4, {{"", 1, {4, {{0, 1, 8, 1}}}}}};
  std::vector<double> base(static_cast<std::size_t>(allocation.interconnect->links()));
  std::vector<topology::LinkShare> route;
  allocation.interconnect->append_route(0, 1, route);
  base[static_cast<std::size_t>(route.front().link)] = 6;
  const Result result =
      map(pattern, allocation, {.goal = parse_goal("link"), .proposals = 5000, .base_load = base});
  EXPECT_EQ(result.identity.link_max, 14);
  EXPECT_EQ(result.placed.link_max, 8);
}

TEST(Map, RefusesWhatIsNoProblem) {
  const machine::Allocation four = whole("torus:2x2");
  const pattern::Pattern five{5, {{"", 1, pattern::Matrix(5, {{0, 4, 1, 1}})}}};
  EXPECT_THROW(map(five, four), Error);
  EXPECT_THROW(map({0, {}}, four), Error);
  EXPECT_THROW(map({3, {{"", 1, pattern::Matrix(4, {})}}}, four), Error);
  EXPECT_THROW(map({3, {}}, four, {.seconds = -1}), Error);
  EXPECT_THROW(map({3, {}}, four, {.base_load = {1}}), Error);
  EXPECT_THROW(map({3, {}}, four, {.base_load = std::vector<double>(16, -1)}), Error);
  EXPECT_THROW(map({3, {}}, four, {.base_load = std::vector<double>(16, 2 * pattern::amount_max)}), Error);
  EXPECT_THROW(map({3, {{"", 2 * pattern::amount_max, pattern::Matrix(3, {})}}}, four), Error);
  EXPECT_THROW(map({1, {}}, {four.interconnect, {4}}), Error);
}

TEST(Goal, ReadsObjectivesAndMixtures) {
  EXPECT_EQ(parse_goal("contention"), (Goal{0, 0, 1, 0}));
  EXPECT_EQ(parse_goal("hop-bytes:0.5,time:2"), (Goal{0.5, 0, 0, 2}));
  EXPECT_EQ(parse_goal(name({1, 2, 3, 4})), (Goal{1, 2, 3, 4}));
  for (const char* text : {"", "hops", "link:", "link:-1", "link:nan", "link:0", "link:1x", "link;time"})
    EXPECT_THROW(parse_goal(text), Error) << text;
}

} // namespace
} // namespace thalweg::place

#include "place/map.hpp"

#include "core/error.hpp"
#include "machine/allocation.hpp"

#include <array>
#include <gtest/gtest.h>
#include <random>
#include <set>

namespace thalweg::place {
namespace {

machine::Allocation whole(std::string_view machine) {
  auto interconnect = topology::parse_interconnect(machine);
  machine::Allocation allocation{interconnect, {}};
  for (topology::Place place = 0; place < interconnect->nodes(); ++place)
    allocation.slots.push_back(place);
  return allocation;
}

/// Some nodes of a machine, in any order, some of them several times.
machine::Allocation random_allocation(std::mt19937& random) {
  constexpr std::array machines{"torus:4x3x2", "mesh:5x4", "torus:7", "mesh:2x2x2x2", "torus:1"};
  machine::Allocation allocation = whole(machines[random() % machines.size()]);
  const auto nodes = static_cast<std::size_t>(allocation.interconnect->nodes());
  allocation.slots.clear();
  for (std::size_t count = random() % 20 + 1; count > 0; --count)
    allocation.slots.push_back(static_cast<topology::Place>(random() % nodes));
  return allocation;
}

pattern::Pattern random_pattern(std::mt19937& random, std::int32_t tasks) {
  pattern::Pattern pattern{tasks, {}};
  for (std::size_t phase = random() % 4; phase > 0; --phase) {
    std::vector<pattern::Edge> edges;
    for (std::size_t count = random() % 40; count > 0; --count)
      edges.push_back({static_cast<std::int32_t>(random() % static_cast<std::size_t>(tasks)),
                       static_cast<std::int32_t>(random() % static_cast<std::size_t>(tasks)),
                       static_cast<double>(random() % 5), static_cast<double>(random() % 2)});
    pattern.phases.push_back({"phase", static_cast<double>(random() % 3), pattern::Matrix(tasks, edges)});
  }
  return pattern;
}

TEST(Map, GivesEachTaskASlotOfItsOwnAndIsNeverWorseThanIdentity) {
  std::mt19937 random(1);
  for (int round = 0; round < 150; ++round) {
    const machine::Allocation allocation = random_allocation(random);
    const auto tasks = static_cast<std::int32_t>(random() % allocation.slots.size() + 1);
    const pattern::Pattern pattern = random_pattern(random, tasks);
    for (const Objective objective :
         {Objective::hop_bytes, Objective::link, Objective::contention, Objective::time}) {
      const Result result = map(pattern, allocation, {.objective = objective, .proposals = 4000});
      ASSERT_EQ(result.slot_of.size(), static_cast<std::size_t>(tasks));
      EXPECT_EQ(std::set(result.slot_of.begin(), result.slot_of.end()).size(), result.slot_of.size());
      for (const std::int32_t slot : result.slot_of)
        EXPECT_TRUE(slot >= 0 && slot < static_cast<std::int32_t>(allocation.slots.size()));
      EXPECT_EQ(result.placed, metrics(pattern, allocation, result.slot_of));
      EXPECT_LE(value_of(result.placed, objective), value_of(result.identity, objective));
      EXPECT_EQ(result.slot_of,
                map(pattern, allocation, {.objective = objective, .proposals = 4000}).slot_of);
    }
  }
}

TEST(Map, RefusesWhatIsNoProblem) {
  const machine::Allocation four = whole("torus:2x2");
  const pattern::Pattern five{5, {{"", 1, pattern::Matrix(5, {{0, 4, 1, 1}})}}};
  EXPECT_THROW(map(five, four), Error);
  EXPECT_THROW(map({0, {}}, four), Error);
  EXPECT_THROW(map({3, {{"", 1, pattern::Matrix(4, {})}}}, four), Error);
  EXPECT_THROW(map({3, {}}, four, {.seconds = -1}), Error);
  EXPECT_THROW(map({3, {}}, four, {.base_load = {1}}), Error);
  EXPECT_THROW(map({1, {}}, {four.interconnect, {4}}), Error);
  EXPECT_THROW(parse_objective("hops"), Error);
}

} // namespace
} // namespace thalweg::place

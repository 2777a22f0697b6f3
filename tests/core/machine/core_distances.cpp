// SPDX-License-Identifier: BSD-3-Clause
#include "machine/core_distances.hpp"

#include "base/error.hpp"
#include "machine/machine.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace thalweg::machine {
namespace {

Figure exactly(double value) {
  return {value, value, value};
}

// Cores 0 to 7 in two groups, measured as the parts of a machine.
Machine two_groups() {
  Machine machine;
  MessageCost cost;
  cost.bytes_max = INT64_MAX;
  cost.latency = exactly(100e-9);
  cost.send_per_byte = cost.receive_per_byte = exactly(0.1e-9);
  LevelCosts level;
  level.level = Level::node;
  level.ranges = {cost};
  level.round_trip = exactly(60e-9);
  machine.levels = {level};
  DistanceClass near{exactly(55e-9), exactly(0.12e-9), exactly(0.04e-9)};
  near.set_groups({{0, 1, 2, 3}, {4, 5, 6, 7}});
  DistanceClass far{exactly(255e-9), exactly(0.42e-9), exactly(0.06e-9)};
  far.set_groups({{0, 1, 2, 3, 4, 5, 6, 7}});
  machine.distances.classes = {near, far};
  return machine;
}

TEST(CoreDistances, ArePairsOfClasses) {
  const CoreDistances distances = two_groups().distances;
  distances.check();
  for (std::int32_t one = 0; one < 8; ++one)
    for (std::int32_t other = 0; other < 8; ++other)
      EXPECT_EQ(distances.between(one, other), &distances.classes[one / 4 == other / 4 ? 0 : 1]);
  EXPECT_EQ(distances.between(0, 8), nullptr);
  EXPECT_EQ(distances.between(-1, 0), nullptr);
  EXPECT_EQ(distances.like(70e-9), &distances.classes[0]);
  EXPECT_EQ(distances.like(200e-9), &distances.classes[1]);
  EXPECT_EQ(distances.like(0), nullptr);
}

TEST(CoreDistances, PriceMessages) {
  const Machine machine = two_groups();
  const LevelCosts& level = machine.at(Level::node);
  const MessageCost near = machine.between(level, level.at(8), 0, 3);
  EXPECT_DOUBLE_EQ(near.latency.value, 100e-9);
  const MessageCost far = machine.between(level, level.at(8), 0, 4);
  EXPECT_NEAR(far.latency.value, 200e-9, 1e-15);
  EXPECT_NEAR(far.send_per_byte.value, 0.4e-9, 1e-18);
  EXPECT_NEAR(far.receive_per_byte.value, 0.12e-9, 1e-18);
  EXPECT_DOUBLE_EQ(machine.between(level, level.at(8), 0, 9).latency.value, 100e-9);
}

TEST(CoreDistances, PriceNearCoresWhereFarOnesWereMeasured) {
  Machine machine = two_groups();
  machine.levels[0].round_trip = exactly(250e-9);
  const LevelCosts& level = machine.at(Level::node);
  EXPECT_DOUBLE_EQ(machine.between(level, level.at(8), 0, 4).latency.value, 100e-9);
  const MessageCost near = machine.between(level, level.at(8), 0, 3);
  EXPECT_NEAR(near.latency.value, 0, 1e-15);
  EXPECT_EQ(near.send_per_byte.value, 0);
}

TEST(CoreDistances, SayNothingWhereALevelHasNoDistance) {
  Machine machine = two_groups();
  machine.levels[0].round_trip = {};
  const LevelCosts& level = machine.at(Level::node);
  EXPECT_DOUBLE_EQ(machine.between(level, level.at(8), 0, 4).latency.value, 100e-9);
}

TEST(Cores, AreWrittenAsTheyAreRead) {
  std::mt19937 random(3);
  for (int turn = 0; turn < 200; ++turn) {
    std::vector<std::int32_t> cores;
    for (std::int32_t core = 0; core < 40; ++core)
      if (random() % 3 != 0)
        cores.push_back(core * (turn % 2 == 0 ? 1 : 97));
    if (!cores.empty()) {
      EXPECT_EQ(parse_cores(cores_text(cores)), cores);
    }
  }
  EXPECT_EQ(cores_text({0, 1, 2, 5, 7, 8}), "0-2,5,7-8");
}

TEST(Cores, ThatAreNoneAreRefused) {
  for (const char* text : {"", "a", "1-", "-1", "3-1", "1,1", "2,1", "1,", "0-8192", "99999999999", "1 - 2"})
    EXPECT_THROW(parse_cores(text), Error) << text;
}

std::string machine_with(const std::string& classes) {
  return "format = 1\n[node]\n[[node.message]]\nlatency = \"1 us\"\n[distances]\n" + classes;
}

std::string class_text(const std::string& round_trip, const std::string& cores) {
  return fmt::format("[[distances.class]]\nround_trip = \"{}\"\ncores = {}\n", round_trip, cores);
}

TEST(CoreDistances, ThatAreNoneAreRefused) {
  const std::string near = class_text("55 ns", "[\"0-3\", \"4-7\"]");
  EXPECT_TRUE(
      parse_machine(machine_with(near + class_text("280 ns", "[\"0-7\"]")), "test").distances.is_known());
  for (const std::string& classes :
       {std::string(), std::string("class = 3"), std::string("looks = 0\n") + near,
        std::string("hops = 1\n") + near, near + class_text("280 ns", "[\"0-5\"]"),
        near + class_text("50 ns", "[\"0-7\"]"), class_text("0 s", "[\"0-1\"]"), class_text("55 ns", "[]"),
        class_text("55 ns", "[\"0\"]"), class_text("55 ns", "[\"0-1\", \"1-2\"]"),
        class_text("55 ns", "\"0-1\""), class_text("55 ns", "[1]"), class_text("55", "[\"0-1\"]")}) {
    try {
      parse_machine(machine_with(classes), "test");
      ADD_FAILURE() << classes;
    } catch (const Error& error) {
      EXPECT_NE(error.problem().find("test"), std::string::npos) << error.problem();
      EXPECT_NE(error.problem().find("distances"), std::string::npos) << error.problem();
      EXPECT_FALSE(error.remedy().empty());
    }
  }
}

} // namespace
} // namespace thalweg::machine

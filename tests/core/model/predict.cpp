// SPDX-License-Identifier: BSD-3-Clause
#include "model/predict.hpp"

#include "base/error.hpp"
#include "machine/machine.hpp"
#include "model/resources.hpp"
#include "strategies/prover.hpp"

#include <functional>
#include <gtest/gtest.h>
#include <numeric>

namespace thalweg::model {
namespace {

using machine::Figure;
using machine::Level;
using machine::Machine;
using machine::MessageCost;

Figure exactly(double value) {
  return {value, value, value};
}

// LogGP with L = 10, o = 1, G = 0.5 a byte at a node; 100, 2 and 1 between nodes. No other costs.
Machine simple_machine() {
  Machine machine;
  machine.cores = 1024;
  const auto level = [](Level which, double latency, double overhead, double gap_per_byte) {
    MessageCost cost;
    cost.bytes_max = INT64_MAX;
    cost.latency = exactly(latency);
    cost.send = cost.receive = exactly(overhead);
    cost.gap_per_byte = exactly(gap_per_byte);
    return machine::LevelCosts{which, {cost}, 0};
  };
  machine.levels = {level(Level::node, 10, 1, 0.5), level(Level::network, 100, 2, 1)};
  return machine;
}

schedule::Problem problem(schedule::Operation operation, std::int32_t ranks) {
  schedule::Problem problem;
  problem.operation = operation;
  problem.ranks = ranks;
  return problem;
}

Prediction predict_named(schedule::Operation operation, std::string_view name, std::int32_t ranks,
                         std::int64_t bytes, const Scenario& scenario) {
  schedule::Problem wanted = problem(operation, ranks);
  const strategies::Strategy& strategy = strategies::find(operation, name);
  wanted.parameters = strategies::resolve(strategy, {});
  wanted.unit_bytes = bytes;
  return predict(strategies::build_all(strategy, wanted), bytes, scenario);
}

TEST(Model, OneMessageCostsItsParts) {
  const Machine machine = simple_machine();
  const Prediction two = predict_named(schedule::Operation::broadcast, "flat", 2, 8, {machine, {}});
  EXPECT_DOUBLE_EQ(two.seconds, 1 + 10 + 0.5 * 8 + 1);
  EXPECT_DOUBLE_EQ(two.cpu_max, 1);
  const std::vector<std::int32_t> nodes{0, 1};
  const Prediction apart = predict_named(schedule::Operation::broadcast, "flat", 2, 8, {machine, nodes});
  EXPECT_DOUBLE_EQ(apart.seconds, 2 + 100 + 8 + 2);
}

TEST(Model, SendersPayOverheadsOneAfterAnother) {
  const Machine machine = simple_machine();
  // The last of seven messages leaves after seven overheads.
  EXPECT_DOUBLE_EQ(predict_named(schedule::Operation::broadcast, "flat", 8, 0, {machine, {}}).seconds,
                   7 + 10 + 1);
}

TEST(Model, WhatSeveralRanksOfANodeReadIsCopiedOnce) {
  Machine machine = simple_machine();
  for (machine::LevelCosts& level : machine.levels)
    level.ranges.front().send_per_byte = exactly(2);
  const auto root = [&](std::int64_t bytes, const std::vector<std::int32_t>& nodes) {
    return predict_named(schedule::Operation::broadcast, "flat", 4, bytes, {machine, nodes}).cpu_max;
  };
  EXPECT_DOUBLE_EQ(root(4096, {0, 0, 0, 0}), 3 * 1 + 2 * 4096);
  EXPECT_DOUBLE_EQ(root(4095, {0, 0, 0, 0}), 3 * (1 + 2 * 4095));
  EXPECT_DOUBLE_EQ(root(4096, {0, 1, 0, 0}), 2 + 2 * 4096 + 2 * 1 + 2 * 4096);
  EXPECT_DOUBLE_EQ(root(4096, {0, 1, 2, 3}), 3 * (2 + 2 * 4096));
}

TEST(Model, BinomialTreeTakesItsDepth) {
  const Machine machine = simple_machine();
  EXPECT_DOUBLE_EQ(predict_named(schedule::Operation::broadcast, "knomial", 8, 0, {machine, {}}).seconds,
                   3 * (1 + 10 + 1));
}

TEST(Model, MessagesQueueForALink) {
  const Machine machine = simple_machine();
  const std::vector<std::int32_t> nodes{0, 1, 2, 3};
  // Three messages of 1000 bytes leave node 0 one after another.
  const Prediction found = predict_named(schedule::Operation::broadcast, "flat", 4, 1000, {machine, nodes});
  EXPECT_NEAR(found.seconds, 2 + 3 * 1000 + 100 + 2, 1e-6);
}

TEST(Model, RoutesThatShareALinkTakeTurns) {
  Machine machine = simple_machine();
  std::vector<std::int32_t> nodes(8);
  std::iota(nodes.begin(), nodes.end(), 0);
  const auto seconds = [&](const char* shape) {
    machine.network = shape;
    return predict_named(schedule::Operation::alltoall, "direct", 8, 10000, {machine, nodes}).seconds;
  };
  const double star = seconds("star");
  EXPECT_DOUBLE_EQ(seconds(""), star);
  EXPECT_DOUBLE_EQ(seconds("torus:3x3"), star); // does not fit eight nodes
  EXPECT_NEAR(seconds("fat-tree:4x4"), star, 0.2 * star);
  // Four hosts behind one cable send 16 messages through it.
  EXPECT_GT(seconds("fat-tree:4x1"), 16 * 10000);
  EXPECT_GT(seconds("ring"), seconds("torus:2x2x2"));
}

TEST(Model, NodesAreWhereTheListOfHostsSays) {
  Machine machine = simple_machine();
  machine.network = "ring";
  std::vector<std::int32_t> nodes(8);
  std::iota(nodes.begin(), nodes.end(), 0);
  const auto seconds = [&](const char* operation_strategy, topology::NodePlaces places) {
    return predict_named(schedule::Operation::allgather, operation_strategy, 8, 10000,
                         {machine, nodes, {}, {}, {}, std::move(places)})
        .seconds;
  };
  const double in_order = seconds("ring", {});
  const double far_apart = seconds("ring", {.places = {0, 4, 1, 5, 2, 6, 3, 7}});
  EXPECT_DOUBLE_EQ(seconds("ring", {.hosts = 8, .places = {3, 4, 5, 6, 7, 0, 1, 2}}), in_order);
  EXPECT_GT(far_apart, 2 * in_order);
  // Its own shape comes before the machine file's, and two nodes at one place share its link.
  EXPECT_LT(seconds("ring", {.network = "star", .hosts = 8, .places = {0, 4, 1, 5, 2, 6, 3, 7}}), far_apart);
  EXPECT_GT(seconds("ring", {.places = {0, 0, 1, 1, 2, 2, 3, 3}}), in_order);
  // Not all places are known: as without a network.
  EXPECT_LT(seconds("ring", {.places = {0, 4, 1, 5, 2, 6, 3, -1}}), far_apart);
}

TEST(Model, RanksThatShareACoreTakeTurns) {
  Machine machine = simple_machine();
  const double alone = predict_named(schedule::Operation::alltoall, "direct", 8, 8, {machine, {}}).seconds;
  machine.cores = 1;
  const double shared = predict_named(schedule::Operation::alltoall, "direct", 8, 8, {machine, {}}).seconds;
  // 56 messages with two overheads each on one core.
  EXPECT_GE(shared, 112);
  EXPECT_LT(alone, shared);
  machine.switch_core = exactly(5);
  EXPECT_GT(predict_named(schedule::Operation::alltoall, "direct", 8, 8, {machine, {}}).seconds, shared);
}

TEST(Model, MessagesOfARankAreAGapApart) {
  Machine machine = simple_machine();
  machine.levels[0].ranges[0].gap = exactly(3);
  // Seven messages leave one after another; seven come at once and are taken one after another.
  for (const auto operation : {schedule::Operation::broadcast, schedule::Operation::gather})
    EXPECT_DOUBLE_EQ(predict_named(operation, "flat", 8, 0, {machine, {}}).seconds, 1 + 10 + 6 * 3 + 1);
  // A single one is not later for it.
  EXPECT_DOUBLE_EQ(predict_named(schedule::Operation::broadcast, "flat", 2, 0, {machine, {}}).seconds,
                   1 + 10 + 1);
}

// 0 sends to 1, which waits for 2 first, which waits for 0.
std::vector<schedule::Schedule> overtaking() {
  std::vector<schedule::Schedule> schedules;
  const auto add = [&](Rank rank, const std::function<void(schedule::Builder&)>& steps) {
    schedule::Builder builder(problem(schedule::Operation::barrier, 3), rank, 1);
    steps(builder);
    schedules.push_back(builder.finish());
  };
  add(0, [](schedule::Builder& builder) {
    builder.send_token(1);
    builder.send_token(2);
  });
  add(1, [](schedule::Builder& builder) {
    builder.receive_token(2);
    builder.round();
    builder.receive_token(0);
  });
  add(2, [](schedule::Builder& builder) {
    builder.receive_token(0);
    builder.round();
    builder.send_token(1);
  });
  return schedules;
}

TEST(Model, MessagesThatComeUnexpectedCostMore) {
  Machine machine = simple_machine();
  EXPECT_DOUBLE_EQ(predict(overtaking(), 0, {machine, {}}).seconds, 26);
  machine.levels[0].ranges[0].unexpected = exactly(5);
  EXPECT_DOUBLE_EQ(predict(overtaking(), 0, {machine, {}}).seconds, 31);
  // What is asked for before it comes does not.
  EXPECT_DOUBLE_EQ(predict_named(schedule::Operation::broadcast, "knomial", 8, 0, {machine, {}}).seconds,
                   3 * (1 + 10 + 1));
}

TEST(Model, MessagesThatMeetTakeTheirTime) {
  Machine machine = simple_machine();
  machine.levels[1].ranges[0].two_way = exactly(2);
  const std::vector<std::int32_t> nodes{0, 1};
  const auto seconds = [&](schedule::Operation operation, const char* name) {
    return predict_named(operation, name, 2, 1000, {machine, nodes}).seconds;
  };
  EXPECT_DOUBLE_EQ(seconds(schedule::Operation::broadcast, "flat"), 2 + 1000 + 100 + 2);
  EXPECT_DOUBLE_EQ(seconds(schedule::Operation::allgather, "ring"), 2 + 2 * 1000 + 100 + 2);
}

TEST(Model, PairsThatShareALinkHaveWhatWasMeasured) {
  Machine machine = simple_machine();
  const std::vector<std::int32_t> nodes{0, 0, 1, 1};
  const auto seconds = [&](double shared) {
    machine.levels[1].pairs = 2;
    machine.levels[1].ranges[0].shared = exactly(shared);
    return predict_named(schedule::Operation::alltoall, "direct", 4, 1000, {machine, nodes}).seconds;
  };
  const double plain =
      predict_named(schedule::Operation::alltoall, "direct", 4, 1000, {machine, nodes}).seconds;
  // Twice as long for two: the link is full with one. As long: it supports two.
  EXPECT_DOUBLE_EQ(seconds(2), plain);
  EXPECT_DOUBLE_EQ(seconds(5), plain);
  EXPECT_NEAR(seconds(1), plain - 2000, 10);
  EXPECT_LT(seconds(1.5), plain);
}

TEST(Model, PairsThatShareMemoryCopyMoreSlowly) {
  Machine machine = simple_machine();
  machine.levels[0].pairs = 4;
  machine.levels[0].ranges[0].send_per_byte = exactly(1);
  const auto seconds = [&](std::int32_t ranks, double shared) {
    machine.levels[0].ranges[0].shared = exactly(shared);
    return predict_named(schedule::Operation::alltoall, "direct", ranks, 1000, {machine, {}}).seconds;
  };
  EXPECT_DOUBLE_EQ(seconds(2, 4), seconds(2, 1));
  EXPECT_GT(seconds(8, 4), 2 * seconds(8, 1));
  // What sharing cores explains is no matter of memory.
  machine.cores = 2;
  EXPECT_DOUBLE_EQ(seconds(8, 4), seconds(8, 1));
}

TEST(Model, RanksAreAsFarApartAsTheirPlaces) {
  Machine machine = simple_machine();
  const MessageCost near = machine.levels[0].ranges[0];
  const auto level = [&](Level which, double latency) {
    MessageCost cost = near;
    cost.latency = exactly(latency);
    machine.levels.push_back({which, {cost}, 0});
  };
  level(Level::core_complex, 3);
  level(Level::socket, 5);
  const std::vector<std::int32_t> nodes{0, 0};
  const auto latency = [&](std::vector<std::int32_t> sockets, std::vector<std::int32_t> complexes) {
    const Scenario scenario{machine, nodes, sockets, complexes};
    return predict_named(schedule::Operation::broadcast, "flat", 2, 0, scenario).seconds - 2;
  };
  EXPECT_DOUBLE_EQ(latency({0, 0}, {1, 1}), 3);
  EXPECT_DOUBLE_EQ(latency({0, 0}, {1, 2}), 5);
  EXPECT_DOUBLE_EQ(latency({0, 1}, {1, 2}), 10);
  EXPECT_DOUBLE_EQ(latency({-1, -1}, {-1, -1}), 10);
  EXPECT_DOUBLE_EQ(latency({}, {}), 10);
}

TEST(Model, RanksAreAsFarApartAsTheirCores) {
  Machine machine = simple_machine();
  machine.levels[0].round_trip = exactly(2);
  machine.distances.classes = {{exactly(2), {}, {}, {0, 0, 1, 1}}, {exactly(10), {}, {}, {0, 0, 0, 0}}};
  const auto latency = [&](std::vector<std::int32_t> cores) {
    return predict_named(schedule::Operation::broadcast, "flat", 2, 0, {.machine = machine, .cores = cores})
        .seconds;
  };
  EXPECT_DOUBLE_EQ(latency({0, 2}), latency({0, 1}) + 4);
  EXPECT_DOUBLE_EQ(latency({0, -1}), latency({}));
}

TEST(Link, LetsBurstsThroughAfterAPause) {
  Link link;
  EXPECT_DOUBLE_EQ(link.pass(100, 30, 50), 100);
  EXPECT_DOUBLE_EQ(link.pass(100, 30, 50), 110);
  EXPECT_DOUBLE_EQ(link.pass(100, 30, 50), 140);
  EXPECT_DOUBLE_EQ(link.pass(1000, 30, 50), 1000);
}

TEST(Link, HasAnEmptyBucketAtFirst) {
  Link link;
  EXPECT_DOUBLE_EQ(link.pass(0, 30, 50), 30);
}

TEST(Model, FindsWhoWaitsForEver) {
  std::vector<schedule::Schedule> schedules;
  for (Rank rank = 0; rank < 2; ++rank) {
    schedule::Builder builder(problem(schedule::Operation::barrier, 2), rank, 1);
    builder.receive_token(1 - rank);
    builder.round();
    builder.send_token(1 - rank);
    schedules.push_back(builder.finish());
  }
  const Machine machine = simple_machine();
  EXPECT_THROW(predict(schedules, 0, {machine, {}}), Error);
}

// Every strategy of the index, over ranks, sizes and places: it ends, more bytes never take less, and a
// slower machine is never faster, but for what another order in a queue makes out.
class ModelOfEveryStrategy : public testing::TestWithParam<std::int32_t> {};

TEST_P(ModelOfEveryStrategy, EndsAndIsMonotonous) {
  const std::int32_t ranks = GetParam();
  const Machine machine = machine::default_machine();
  Machine slow = machine;
  for (machine::LevelCosts& level : slow.levels)
    for (MessageCost& cost : level.ranges)
      cost.latency.value *= 3;
  std::vector<std::int32_t> nodes(static_cast<std::size_t>(ranks));
  for (std::int32_t rank = 0; rank < ranks; ++rank)
    nodes[static_cast<std::size_t>(rank)] = rank / 3;
  for (const strategies::Strategy& strategy : strategies::all())
    for (const strategies::Problem& one :
         strategies::obligations(strategy, ranks, strategies::Roots::sample)) {
      const auto schedules = strategies::build_all(strategy, one);
      const Prediction small = predict(schedules, 64, {machine, nodes});
      const Prediction large = predict(schedules, 1 << 20, {machine, nodes});
      const Prediction slower = predict(schedules, 64, {slow, nodes});
      const std::string what = strategies::describe(strategy, one);
      EXPECT_LE(small.seconds, large.seconds * 1.0001) << what;
      EXPECT_LE(small.seconds, slower.seconds * 1.1) << what;
      EXPECT_LE(small.cpu_seconds, small.cpu_max * 1.0001) << what;
      EXPECT_LE(small.cpu_max, small.seconds * 1.0001) << what;
      const Prediction bound = predict_lower_bound(schedules, 64, {machine, nodes});
      EXPECT_TRUE(bound.is_bound);
      EXPECT_LE(bound.seconds, small.seconds * 1.0001) << what;
      EXPECT_NEAR(bound.cpu_max, small.cpu_max, 1e-9 * small.cpu_max) << what;
      const Prediction half = predict(schedules, 64, {machine, nodes}, small.seconds / 2);
      EXPECT_EQ(half.is_bound, small.seconds > 0) << what;
      EXPECT_GE(half.seconds, small.seconds / 2) << what;
      EXPECT_LE(half.seconds, small.seconds) << what;
      EXPECT_NEAR(half.cpu_seconds, small.cpu_seconds, 1e-9 * small.cpu_seconds) << what;
    }
}

// Bounds stay bounds where messages come unexpected, meet others, share links or wait for gaps, and where
// ranks share memory.
TEST_P(ModelOfEveryStrategy, IsBoundedWhereRanksDisturbOneAnother) {
  const std::int32_t ranks = GetParam();
  Machine machine = machine::default_machine();
  for (machine::LevelCosts& level : machine.levels) {
    level.pairs = 4;
    for (MessageCost& cost : level.ranges) {
      cost.gap = exactly(3e-6);
      cost.unexpected = exactly(2e-6);
      cost.unexpected_per_byte = exactly(1e-10);
      cost.two_way = exactly(1.5);
      cost.shared = exactly(2);
    }
  }
  std::vector<std::int32_t> nodes(static_cast<std::size_t>(ranks));
  for (std::int32_t rank = 0; rank < ranks; ++rank)
    nodes[static_cast<std::size_t>(rank)] = rank / 6;
  for (const strategies::Strategy& strategy : strategies::all())
    for (const strategies::Problem& one :
         strategies::obligations(strategy, ranks, strategies::Roots::sample)) {
      const auto schedules = strategies::build_all(strategy, one);
      const Prediction whole = predict(schedules, 4096, {machine, nodes});
      const Prediction bound = predict_lower_bound(schedules, 4096, {machine, nodes});
      const Prediction half = predict(schedules, 4096, {machine, nodes}, whole.seconds / 2);
      const std::string what = strategies::describe(strategy, one);
      for (const Prediction& part : {bound, half}) {
        EXPECT_LE(part.seconds, whole.seconds * (1 + 1e-9)) << what;
        EXPECT_LE(part.cpu_seconds, whole.cpu_seconds * (1 + 1e-9)) << what;
        EXPECT_LE(part.cpu_max, whole.cpu_max * (1 + 1e-9)) << what;
      }
      EXPECT_LE(whole.cpu_max, whole.seconds * (1 + 1e-9)) << what;
    }
}

INSTANTIATE_TEST_SUITE_P(Ranks, ModelOfEveryStrategy, testing::Values(1, 2, 3, 5, 8, 13, 16));

// Where all ranks do the same, one rank's simulation says what all ranks' says.
TEST(Model, OneRankStandsForAllWhereTheyAreAlike) {
  const Machine machine = simple_machine();
  struct Alike {
    schedule::Operation operation;
    const char* name;
  };
  for (const auto& [operation, name] :
       {Alike{schedule::Operation::barrier, "dissemination"}, Alike{schedule::Operation::allgather, "ring"},
        Alike{schedule::Operation::alltoall, "bruck"},
        Alike{schedule::Operation::allreduce, "recursive_doubling"}}) {
    schedule::Problem wanted = problem(operation, 16);
    const strategies::Strategy& strategy = strategies::find(operation, name);
    wanted.parameters = strategies::resolve(strategy, {});
    const auto schedules = strategies::build_all(strategy, wanted);
    const double all = predict(schedules, 1000, {machine, {}}).seconds;
    const double one = predict_symmetric(schedules.front(), 1000, {machine, {}}).seconds;
    EXPECT_NEAR(one, all, all * 0.01) << name;
  }
}

} // namespace
} // namespace thalweg::model

#include "model/predict.hpp"

#include "core/error.hpp"
#include "machine/machine.hpp"
#include "model/link.hpp"
#include "strategies/prover.hpp"

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
                         std::int64_t bytes, const Setting& setting) {
  schedule::Problem wanted = problem(operation, ranks);
  const strategies::Strategy& strategy = strategies::find(operation, name);
  wanted.parameters = strategies::resolve(strategy, {});
  wanted.unit_bytes = bytes;
  return predict(strategies::build_all(strategy, wanted), bytes, setting);
}

TEST(Model, OneMessageCostsItsParts) {
  const Machine machine = simple_machine();
  const Prediction two = predict_named(schedule::Operation::broadcast, "flat", 2, 8, {machine, {}});
  EXPECT_DOUBLE_EQ(two.seconds, 1 + 10 + 0.5 * 8 + 1);
  EXPECT_DOUBLE_EQ(two.cpu_most, 1);
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
// slower machine is never faster.
class ModelOfEveryStrategy : public testing::TestWithParam<std::int32_t> {};

TEST_P(ModelOfEveryStrategy, EndsAndIsMonotonous) {
  const std::int32_t ranks = GetParam();
  const Machine machine = machine::standard_machine();
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
      EXPECT_LE(small.seconds, slower.seconds * 1.0001) << what;
      EXPECT_LE(small.cpu_seconds, small.cpu_most * 1.0001) << what;
      EXPECT_LE(small.cpu_most, small.seconds * 1.0001) << what;
      const Prediction least = predict_least(schedules, 64, {machine, nodes});
      EXPECT_TRUE(least.is_bound);
      EXPECT_LE(least.seconds, small.seconds * 1.0001) << what;
      EXPECT_NEAR(least.cpu_most, small.cpu_most, 1e-9 * small.cpu_most) << what;
      const Prediction half = predict(schedules, 64, {machine, nodes}, small.seconds / 2);
      EXPECT_EQ(half.is_bound, small.seconds > 0) << what;
      EXPECT_GE(half.seconds, small.seconds / 2) << what;
      EXPECT_LE(half.seconds, small.seconds) << what;
      EXPECT_NEAR(half.cpu_seconds, small.cpu_seconds, 1e-9 * small.cpu_seconds) << what;
    }
}

INSTANTIATE_TEST_SUITE_P(Ranks, ModelOfEveryStrategy, testing::Values(1, 2, 3, 5, 8, 13, 16));

// Where all ranks do the same, one rank's walk says what all ranks' says.
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

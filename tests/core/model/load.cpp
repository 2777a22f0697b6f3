// SPDX-License-Identifier: BSD-3-Clause

// What messages cost among others, and by their distance: receives that are posted, pairs of ranks that are
// at work at once, hops (Kumar 2005, sections 2.1 to 2.3).

#include "machine/machine.hpp"
#include "model/message_terms.hpp"
#include "model/predict.hpp"
#include "strategies/prover.hpp"

#include <gtest/gtest.h>

namespace thalweg::model {
namespace {

using machine::Figure;
using machine::Level;
using machine::Machine;
using schedule::Operation;

Figure exactly(double value) {
  return {value, value, value};
}

// LogGP with L = 10, o = 1, G = 0.5 a byte at a node; 100, 2 and 1 between nodes.
Machine a_machine() {
  Machine machine;
  machine.cores = 1024;
  const auto level = [](Level which, double latency, double overhead, double gap_per_byte) {
    machine::MessageCost cost;
    cost.bytes_max = INT64_MAX;
    cost.latency = exactly(latency);
    cost.send = cost.receive = exactly(overhead);
    cost.gap_per_byte = exactly(gap_per_byte);
    return machine::LevelCosts{which, {cost}, 0};
  };
  machine.levels = {level(Level::node, 10, 1, 0.5), level(Level::network, 100, 2, 1)};
  return machine;
}

std::vector<schedule::Schedule> schedules(Operation operation, std::string_view name, std::int32_t ranks,
                                          const schedule::Parameters& parameters = {}) {
  const strategies::Strategy& strategy = strategies::find(operation, name);
  schedule::Problem problem;
  problem.operation = operation;
  problem.ranks = ranks;
  problem.parameters = strategies::resolve(strategy, parameters);
  return strategies::build_all(strategy, problem);
}

double seconds(const std::vector<schedule::Schedule>& all, std::int64_t bytes, const Scenario& scenario) {
  return predict(all, bytes, scenario).seconds;
}

// Three messages come one behind the other; the first is looked for among two receives more, the next among
// one.
TEST(Load, MessagesAreLookedForAmongPostedReceives) {
  Machine machine = a_machine();
  const auto direct = schedules(Operation::alltoall, "direct", 4);
  EXPECT_DOUBLE_EQ(seconds(direct, 0, {machine}), 14);
  machine.levels[0].per_posted = exactly(5);
  EXPECT_DOUBLE_EQ(seconds(direct, 0, {machine}), 14 + 3 * 5);
  EXPECT_DOUBLE_EQ(predict(direct, 0, {machine}).cpu_max, 3 + 3 + 3 * 5);
  EXPECT_DOUBLE_EQ(predict_symmetric(direct.front(), 0, {machine}).seconds, 14 + 3 * 5);
  EXPECT_DOUBLE_EQ(MessageTerms(machine, Level::node).round(3, 0), 14 + 3 * 5);
}

TEST(Load, ReceivesThatArePostedOneByOneAreNotLookedThrough) {
  Machine machine = a_machine();
  const auto paced = schedules(Operation::alltoall, "throttled", 8, {{"batch", 1}});
  const auto at_once = schedules(Operation::alltoall, "throttled", 8, {{"batch", 8}});
  const double alone = seconds(paced, 0, {machine});
  EXPECT_LT(seconds(at_once, 0, {machine}), alone);
  machine.levels[0].per_posted = exactly(50);
  EXPECT_DOUBLE_EQ(seconds(paced, 0, {machine}), alone);
  EXPECT_GT(seconds(at_once, 0, {machine}), alone);
}

// The library's receives and those from ranks of the node are not the same.
TEST(Load, ReceivesFromOtherNodesAreTheirOwn) {
  Machine machine = a_machine();
  machine.levels[1].per_posted = exactly(5);
  const std::vector<std::int32_t> pairs{0, 0, 1, 1};
  const std::vector<std::int32_t> apart{0, 1, 2, 3};
  const auto direct = schedules(Operation::alltoall, "direct", 4);
  const auto added = [&](const std::vector<std::int32_t>& nodes) {
    Machine without = machine;
    without.levels[1].per_posted = {};
    return predict(direct, 0, {machine, nodes}).cpu_max - predict(direct, 0, {without, nodes}).cpu_max;
  };
  EXPECT_DOUBLE_EQ(added(pairs), 5);
  EXPECT_DOUBLE_EQ(added(apart), 3 * 5);
}

TEST(Load, FartherNodesAreLater) {
  Machine machine = a_machine();
  const auto flat = schedules(Operation::broadcast, "flat", 2);
  const std::vector<std::int32_t> nodes{0, 1};
  const auto at = [&](std::vector<std::int32_t> places, std::int64_t bytes) {
    return seconds(flat, bytes,
                   {.machine = machine,
                    .nodes = nodes,
                    .node_places = {.network = "ring", .hosts = 8, .places = std::move(places)}});
  };
  EXPECT_DOUBLE_EQ(at({0, 3}, 0), 104);
  machine.levels[1].hop = exactly(7);
  machine.levels[1].hop_per_byte = exactly(0.5);
  EXPECT_DOUBLE_EQ(at({0, 3}, 0), 104) << "it is not known where it was measured";
  machine.levels[1].hops = 3; // with the nodes' own links
  EXPECT_DOUBLE_EQ(at({0, 1}, 0), 104);
  EXPECT_DOUBLE_EQ(at({0, 3}, 0), 104 + 2 * 7);
  EXPECT_DOUBLE_EQ(at({6, 1}, 0), 104 + 2 * 7);
  EXPECT_DOUBLE_EQ(at({0, 3}, 1000), 104 + 2 * 7 + 1000 * (1 + 2 * 0.5));
  EXPECT_DOUBLE_EQ(seconds(flat, 1000, {machine, nodes}), 104 + 1000) << "nobody knows how far";
  machine.levels[1].hops = 6;
  EXPECT_DOUBLE_EQ(at({0, 3}, 1000), 104 - 7 + 1000);
  machine.levels[1].hop = exactly(1000);
  EXPECT_DOUBLE_EQ(at({0, 3}, 0), 4) << "no message comes before it is sent";
}

TEST(Load, MessagesOfManyRanksAtOnceAreLater) {
  Machine machine = a_machine();
  machine.levels[0].pairs = 4;
  const auto barrier = schedules(Operation::barrier, "dissemination", 8);
  const auto flat = schedules(Operation::broadcast, "flat", 2);
  const double plain = seconds(barrier, 0, {machine});
  machine.levels[0].ranges[0].trip_shared = exactly(2);
  EXPECT_DOUBLE_EQ(seconds(flat, 0, {machine}), 12);
  EXPECT_GT(seconds(barrier, 0, {machine}), 1.5 * plain);
  EXPECT_LE(seconds(barrier, 0, {machine}), 2 * plain);
  machine.levels[0].ranges[0].trip_shared = {2, 0.9, 3};
  EXPECT_DOUBLE_EQ(seconds(barrier, 0, {machine}), plain) << "measurements that scatter around once";
  machine.levels[0].ranges[0].trip_shared = exactly(2);
  machine.cores = 4;
  Machine alone = machine;
  alone.levels[0].ranges[0].trip_shared = machine::once;
  EXPECT_DOUBLE_EQ(seconds(barrier, 0, {machine}), seconds(barrier, 0, {alone})) << "turns were measured";
}

TEST(Load, ProcessorsAreBusierWithAllPairsAtWork) {
  Machine machine = a_machine();
  machine.levels[0].pairs = 4;
  machine.levels[0].ranges[0].overlapped = exactly(2);
  const auto direct = schedules(Operation::alltoall, "direct", 8);
  const double plain = predict(direct, 0, {machine}).cpu_max;
  machine.levels[0].ranges[0].overlapped_shared = exactly(6);
  const double busy = predict(direct, 0, {machine}).cpu_max;
  EXPECT_GT(busy, 2 * plain);
  EXPECT_LE(busy, 3 * plain);
  machine.levels[0].ranges[0].overlapped_shared = exactly(1);
  EXPECT_DOUBLE_EQ(predict(direct, 0, {machine}).cpu_max, plain);
}

} // namespace
} // namespace thalweg::model

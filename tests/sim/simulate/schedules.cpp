// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/schedules.hpp"

#include "base/error.hpp"
#include "model/closed_forms.hpp"
#include "model/predict.hpp"
#include "programs.hpp"
#include "simulate/simulation.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <optional>

namespace thalweg::simulate {
namespace {

machine::Figure exactly(double value) {
  return {value, value, value};
}

/// A machine of whole nanoseconds on which a message has no other costs than LogGP's.
machine::Machine ideal_machine() {
  machine::MessageCost cost;
  cost.latency = exactly(2500e-9);
  cost.send = cost.receive = exactly(1500e-9);
  cost.gap = exactly(1000e-9);
  cost.gap_per_byte = exactly(2e-9);
  machine::Machine machine;
  machine.levels = {{.level = machine::Level::network, .ranges = {cost}}};
  machine.copy = machine.combine = {{.bytes_max = 1 << 30, .per_byte = exactly(0)}};
  machine.cores = 1;
  return machine;
}

strategies::Sample sample(const std::string& selection, std::int32_t ranks, std::int64_t bytes) {
  return strategies::make_sample(selection, {.ranks = ranks, .ranks_per_node = 1, .unit_bytes = bytes});
}

Ticks simulated(const strategies::Sample& one, std::int64_t bytes, const machine::Machine& machine) {
  return simulate(program_of(one, bytes, machine).program, {}).result.finish;
}

/// Calls for all strategies that can do the problem, one rank on each node.
template <typename Call>
void for_each_sample(std::int32_t ranks, std::int64_t bytes, Call call) {
  for (const strategies::Strategy& strategy : strategies::all()) {
    const std::string selection =
        std::string(schedule::name(strategy.operation)) + "=" + std::string(strategy.name);
    std::optional<strategies::Sample> one;
    try {
      one = sample(selection, ranks, bytes);
    } catch (const Error&) {
      continue;
    }
    SCOPED_TRACE(selection + ", " + std::to_string(ranks) + " ranks");
    call(*one);
  }
}

// Where a rank has a core and a link of its own, and no message meets another, the model's walk says the same
// of nearly all strategies. In the others, ranks have several things to do at once, and do them in another
// order. Where many messages come at once and are taken in one after another, as cards do, the model's take
// their time when it is their turn, and simulated ones when they come.
TEST(SimulatedSchedules, AgreeWithTheModelWhereNothingIsShared) {
  const machine::Machine machine = ideal_machine();
  int all = 0;
  int equal = 0;
  for (const std::int32_t ranks : {8, 13, 16})
    for (const std::int64_t bytes : {8, 4096})
      for_each_sample(ranks, bytes, [&](const strategies::Sample& one) {
        std::vector<std::int32_t> nodes(static_cast<std::size_t>(ranks));
        std::iota(nodes.begin(), nodes.end(), 0);
        const double seconds =
            model::predict(
                strategies::build_all(one), bytes,
                {.machine = machine, .nodes = nodes, .message_bytes = strategies::message_bytes(one, bytes)})
                .seconds;
        const double ratio = static_cast<double>(simulated(one, bytes, machine)) * 1e-9 / seconds;
        EXPECT_GT(ratio, 0.6);
        EXPECT_LT(ratio, 1.7);
        ++all;
        equal += std::abs(ratio - 1) < 1e-4 ? 1 : 0;
      });
  EXPECT_GT(equal, 0.8 * all) << equal << " of " << all;
}

// On links of a network, the model lets one message go after another, and level `flow` lets them share. Most
// strategies have one message on a link at a time, or as long ones that begin together, of which the last
// ends at the same moment. In the others, messages that come early let their receivers go on earlier in the
// model.
TEST(SimulatedSchedules, AgreeWithTheModelOnSharedLinks) {
  const machine::Machine machine = ideal_machine();
  int all = 0;
  int near = 0;
  for (const char* shape : {"star", "torus:16", "torus:4x4", "fat-tree:4x1", "fat-tree:4x2"}) {
    const std::string on_cables = std::string(shape) + (std::string(shape).starts_with("torus") ? "*1" : "");
    RankNetwork network{.interconnect = topology::parse_interconnect(on_cables, 16), .nodes = {}};
    std::vector<std::int32_t> nodes(16);
    std::iota(nodes.begin(), nodes.end(), 0);
    network.nodes.assign(nodes.begin(), nodes.end());
    for_each_sample(16, 65536, [&](const strategies::Sample& one) {
      SCOPED_TRACE(shape);
      const double seconds = model::predict(strategies::build_all(one), 65536,
                                            {.machine = machine,
                                             .nodes = nodes,
                                             .node_places = {.network = shape},
                                             .message_bytes = strategies::message_bytes(one, 65536)})
                                 .seconds;
      const Program program = program_of(one, 65536, machine, ~std::uint64_t{0}).program;
      const Ticks found = simulate(program, {.network = &network}).result.finish;
      const double ratio = static_cast<double>(found) * 1e-9 / seconds;
      EXPECT_GT(ratio, 0.5);
      EXPECT_LT(ratio, 2);
      ++all;
      near += std::abs(ratio - 1) < 0.02 ? 1 : 0;
    });
  }
  EXPECT_GT(near, 0.6 * all) << near << " of " << all;
}

// The equations that leave out nothing that the simulation has.
TEST(SimulatedSchedules, AgreeWithTheEquationsOfThePapers) {
  const machine::Machine machine = ideal_machine();
  for (const char* selection :
       {"allgather=ring", "allgather=cyclic", "allgather=bruck", "allgather=hypercube", "alltoall=bruck",
        "alltoall=hypercube", "alltoall=cyclic", "allreduce=ring", "allreduce=rabenseifner",
        "allreduce=recursive_doubling", "barrier=dissemination", "broadcast=chain", "broadcast=flat",
        "gather=flat", "scatter=flat", "reduce_scatter=ring"})
    for (const std::int32_t ranks : {16, 64}) {
      const strategies::Sample one = sample(selection, ranks, 4096);
      const auto form = model::closed_form(one.strategy->name, one.problem, machine);
      ASSERT_TRUE(form) << selection;
      EXPECT_NEAR(static_cast<double>(simulated(one, 4096, machine)) * 1e-9 / form->seconds, 1, 1e-4)
          << selection << ", " << ranks << " ranks";
    }
}

// One rank stands for all where all are alike.
TEST(SimulatedSchedules, AreTheSameWhenFolded) {
  int folded = 0;
  for (const std::int32_t ranks : {16, 48})
    for_each_sample(ranks, 4800, [&](const strategies::Sample& one) {
      const StrategyProgram small = program_of(one, {.unit_bytes = 4800}, LogGops{}, 0);
      if (small.program.folded == 0)
        return;
      ++folded;
      const Result alone = simulate(small.program, {}).result;
      const Result all = simulate(program_of(one, {.unit_bytes = 4800}, LogGops{}).program, {}).result;
      EXPECT_EQ(alone.ends, all.ends);
      EXPECT_EQ(alone.busy, all.busy);
      EXPECT_EQ(alone.path.size(), all.path.size());
    });
  EXPECT_GE(folded, 10);
}

TEST(SimulatedSchedules, AreRefusedWhereTheyAreTooLarge) {
  EXPECT_THROW(
      program_of(sample("allgather=ring", 50000, 8), {.unit_bytes = 8}, LogGops{}, ~std::uint64_t{0}), Error);
}

} // namespace
} // namespace thalweg::simulate

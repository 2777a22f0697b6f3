// SPDX-License-Identifier: BSD-3-Clause
#include "tune/candidates.hpp"

#include "base/error.hpp"
#include "strategies/order.hpp"
#include "tune/prediction.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

namespace thalweg::tune {
namespace {

Case make_case(const char* call, std::int64_t bytes, std::int32_t ranks, std::int32_t ranks_per_node) {
  Case wanted{strategies::find_call(call), bytes, ranks, {}};
  for (std::int32_t rank = 0; rank < ranks; ++rank)
    wanted.nodes.push_back(rank / ranks_per_node);
  return wanted;
}

strategies::Scheduled scheduled(std::string_view selection) {
  return strategies::schedule_of(strategies::parse_selection(selection));
}

TEST(Candidates, AreSortedDistinctAndReadable) {
  const machine::Machine machine = machine::default_machine();
  for (const char* call :
       {"barrier", "bcast", "allreduce", "alltoall", "allgather", "reduce_scatter_block", "scan"})
    for (const std::int32_t ranks : {1, 2, 5, 8}) {
      const std::vector<Candidate> found = candidates(make_case(call, 4096, ranks, 2), machine);
      EXPECT_FALSE(found.empty()) << call;
      EXPECT_TRUE(
          std::ranges::is_sorted(found, {}, [](const Candidate& one) { return one.prediction.seconds; }));
      std::set<std::string> texts;
      for (const Candidate& candidate : found) {
        EXPECT_TRUE(texts.insert(candidate.text).second) << candidate.text;
        EXPECT_EQ(strategies::parse_implementation(candidate.text, *strategies::find_call(call)),
                  strategies::Implementation(candidate.scheduled));
      }
    }
}

// The window of posted receives is the model's choice: few where each further one costs the receiver much.
TEST(Candidates, PostFewReceivesWhereTheyAreSearched) {
  machine::Machine machine = machine::default_machine();
  const auto best_batch = [&] {
    for (const Candidate& one : candidates(make_case("alltoall", 256, 32, 1), machine))
      if (one.scheduled.strategy().name == "throttled")
        return one.scheduled.parameters().front().second;
    return std::int64_t{0};
  };
  EXPECT_GE(best_batch(), 16);
  machine.levels.back().per_posted = {2e-6, 2e-6, 2e-6};
  const std::int64_t few = best_batch();
  EXPECT_GE(few, 1);
  EXPECT_LE(few, 8);
}

Case on_network(const char* call, std::int64_t bytes, const topology::NodePlaces& node_places) {
  Case wanted = make_case(call, bytes, 8, 1);
  wanted.node_places = node_places;
  wanted.orders = strategies::rank_orders(wanted.nodes, {}, node_places);
  return wanted;
}

bool is_in_an_order(const Candidate& candidate) {
  return candidate.text.find("order=") != std::string::npos;
}

TEST(Candidates, HaveNetworkDevicesBesideTheSameScheduleOnSeveralNodes) {
  const machine::Machine machine = machine::default_machine();
  for (const char* call : {"barrier", "bcast", "reduce", "allreduce"})
    for (const std::int32_t ranks_per_node : {1, 4}) {
      const std::vector<Candidate> found = candidates(make_case(call, 8, 4, ranks_per_node), machine);
      const bool has_devices =
          std::ranges::any_of(found, [](const Candidate& one) { return one.scheduled.strategy().offloads; });
      EXPECT_TRUE(has_devices || ranks_per_node == 4) << call;
      std::set<bool> is_without_switch;
      for (const Candidate& one : found)
        if (one.scheduled.strategy().offloads)
          is_without_switch.insert(one.text.find("where=card") != std::string::npos);
      EXPECT_TRUE(is_without_switch.size() == 2 || ranks_per_node == 4) << call;
    }
}

TEST(Candidates, HaveAnOrderOnlyWhereItMakesADifference) {
  machine::Machine machine = machine::default_machine();
  EXPECT_FALSE(std::ranges::any_of(candidates(make_case("allgather", 65536, 8, 1), machine), is_in_an_order));
  const auto in_order = candidates(on_network("allgather", 65536, {.network = "ring"}), machine);
  EXPECT_FALSE(std::ranges::any_of(in_order, is_in_an_order));
  const Case shuffled =
      on_network("allgather", 65536, {.network = "ring", .places = {0, 2, 4, 7, 5, 1, 6, 3}});
  EXPECT_TRUE(std::ranges::any_of(candidates(shuffled, machine), is_in_an_order));
  EXPECT_FALSE(std::ranges::any_of(candidates(shuffled, machine, Breadth::defaults), is_in_an_order));
}

TEST(Candidates, InTheMachinesOrderComeFirstWhereLinksAreShort) {
  const machine::Machine machine = machine::default_machine();
  for (const char* shape : {"ring", "torus:4x2"}) {
    const Case wanted =
        on_network("allgather", 1 << 20, {.network = shape, .places = {0, 2, 4, 7, 5, 1, 6, 3}});
    const double own = predict(scheduled("allgather=ring"), wanted, machine).seconds;
    const double tour = predict(scheduled("allgather=ring:order=tour"), wanted, machine).seconds;
    EXPECT_GT(own, 1.3 * tour) << shape;
    EXPECT_TRUE(is_in_an_order(candidates(wanted, machine).front())) << shape;
  }
}

// Dealt round robin, as with --map-by node, a ring in the order of ranks leaves its node with each step.
TEST(Candidates, KeepANodesRanksTogetherOnAnyNetwork) {
  const machine::Machine machine = machine::default_machine();
  Case wanted = make_case("allgather", 1 << 20, 8, 1);
  wanted.nodes = {0, 1, 0, 1, 0, 1, 0, 1};
  wanted.orders = strategies::rank_orders(wanted.nodes, {}, {});
  EXPECT_GT(predict(scheduled("allgather=ring"), wanted, machine).seconds,
            1.3 * predict(scheduled("allgather=ring:order=tour"), wanted, machine).seconds);
}

// Where hops cost much and bytes little, it is the distance alone that an order of places saves.
TEST(Candidates, AreInTheOrderOfPlacesWhereHopsCost) {
  machine::Machine machine = machine::default_machine();
  machine::LevelCosts& network = machine.levels.back();
  Case wanted = on_network("allgather", 8, {.network = "ring", .places = {0, 2, 4, 7, 5, 1, 6, 3}});
  const auto gain = [&] {
    return predict(scheduled("allgather=ring"), wanted, machine).seconds /
           predict(scheduled("allgather=ring:order=tour"), wanted, machine).seconds;
  };
  EXPECT_LT(gain(), 1.05);
  network.hops = 3;
  network.hop = {1e-4, 1e-4, 1e-4};
  EXPECT_GT(gain(), 2);
  EXPECT_TRUE(is_in_an_order(candidates(wanted, machine).front()));
}

// A root that sends to all is quick if somebody waits, but ten calls wait for its link ten times as long.
TEST(Candidates, InARowThatNobodyWaitsForAreThoseThatShareTheWork) {
  const machine::Machine machine = machine::default_machine();
  Case wanted = make_case("bcast", 4096, 8, 1);
  const auto root_sends = [&] {
    const strategies::Scheduled pick = candidates(wanted, machine, Breadth::defaults).front().scheduled;
    const auto root = strategies::build(pick.strategy(), problem_of(wanted, pick.parameters()), 0);
    return std::ranges::count(root.steps, schedule::StepKind::send, &schedule::Step::kind);
  };
  EXPECT_EQ(root_sends(), 7);
  wanted.calls_in_row = 10;
  EXPECT_LE(root_sends(), 3);
}

// Ten calls take longer than one, and hardly longer than ten one by one (early messages are kept apart).
TEST(Candidates, OfARowTakeBetweenOneCallAndAllOneByOne) {
  const machine::Machine machine = machine::default_machine();
  for (const char* call : {"barrier", "bcast", "scatter", "gather", "reduce", "allreduce", "scan"})
    for (const std::int32_t ranks_per_node : {1, 4}) {
      const Case one = make_case(call, 4096, 8, ranks_per_node);
      Case row = one;
      row.calls_in_row = 10;
      for (const Candidate& candidate : candidates(row, machine)) {
        const double single = predict(candidate.scheduled, one, machine).seconds;
        EXPECT_GT(candidate.prediction.seconds, single) << call << " " << candidate.text;
        EXPECT_LT(candidate.prediction.seconds, 11 * single) << call << " " << candidate.text;
      }
    }
}

// What is predicted is what a simulation of all ranks says, but where one rank stands for all; what is not is
// far behind, and surely no faster.
TEST(Candidates, ArePredictedAsBySimulationsOfAllRanks) {
  const machine::Machine machine = machine::default_machine();
  std::size_t bounds = 0;
  for (const char* call : {"bcast", "allreduce", "alltoall"}) {
    const Case wanted = make_case(call, 65536, 64, 4);
    const std::vector<Candidate> found = candidates(wanted, machine);
    for (const Candidate& candidate : found) {
      const strategies::Problem problem = problem_of(wanted, candidate.scheduled.parameters());
      const auto schedules = strategies::build_all(candidate.scheduled.strategy(), problem);
      std::size_t steps = 0;
      for (const schedule::Schedule& one : schedules)
        steps += one.steps.size();
      const double simulated = model::predict(schedules, wanted.bytes, {machine, wanted.nodes}).seconds;
      bounds += candidate.prediction.is_bound ? 1U : 0U;
      if (candidate.prediction.is_bound) {
        EXPECT_LE(candidate.prediction.seconds, simulated) << call << " " << candidate.text;
        EXPECT_GT(candidate.prediction.seconds, 4 * found.front().prediction.seconds) << candidate.text;
      } else if (steps <= few_steps / 2) {
        EXPECT_EQ(candidate.prediction.seconds, simulated) << call << " " << candidate.text;
      }
    }
  }
  EXPECT_GT(bounds, 0U);
}

// Rank 0 of a ring sends to a rank of its node, but the last one of each node sends over a slow network.
TEST(Candidates, AreNotTakenForAsFastAsARankWithNearPeers) {
  machine::Machine machine = machine::default_machine();
  for (machine::MessageCost& cost : machine.levels.back().ranges)
    cost.gap_per_byte.value *= 100;
  const Case wanted = make_case("reduce_scatter_block", 65536, 64, 4);
  for (const Candidate& candidate : candidates(wanted, machine)) {
    const ScheduleSample some =
        sample(candidate.scheduled.strategy(), problem_of(wanted, candidate.scheduled.parameters()), wanted);
    const double bound =
        model::predict_lower_bound(some.schedules, wanted.bytes, {machine, wanted.nodes}).seconds;
    EXPECT_GE(candidate.prediction.seconds, bound * (1 - 1e-9)) << candidate.text;
  }
}

TEST(Candidates, AreTheSameEveryTime) {
  const machine::Machine machine = machine::default_machine();
  const Case wanted = make_case("allreduce", 65536, 96, 4);
  const std::vector<Candidate> once = candidates(wanted, machine);
  const std::vector<Candidate> again = candidates(wanted, machine);
  ASSERT_EQ(once.size(), again.size());
  for (std::size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(once[i].text, again[i].text);
    EXPECT_EQ(once[i].prediction.seconds, again[i].prediction.seconds) << once[i].text;
  }
}

TEST(Candidates, LeaveOutWhatTheProblemForbids) {
  const machine::Machine machine = machine::default_machine();
  for (const Candidate& candidate : candidates(make_case("allgather", 64, 7, 7), machine))
    EXPECT_NE(candidate.scheduled.strategy().name, "neighbor_exchange");
}

TEST(Candidates, ValuesToTryStayInRange) {
  for (const strategies::Strategy& strategy : strategies::all())
    for (const strategies::Parameter& parameter : strategy.parameters)
      for (const std::int64_t bytes : {0, 8, 100'000, 100'000'000})
        for (const std::int64_t value : values_to_try(parameter, {nullptr, bytes, 6, {}})) {
          EXPECT_GE(value, parameter.min);
          EXPECT_LE(value, parameter.max);
        }
}

TEST(Candidates, ALogarithmicStrategyOf65536RanksIsPredicted) {
  const machine::Machine machine = machine::default_machine();
  const Case wanted = make_case("allreduce", 8, 65536, 16);
  const model::Prediction found = predict(scheduled("allreduce=recursive_doubling"), wanted, machine);
  EXPECT_GT(found.seconds, 16 * 5e-6);
  EXPECT_LT(found.seconds, 1e-2);
}

TEST(Candidates, ATreeOf65536RanksIsSimulatedWhole) {
  const machine::Machine machine = machine::default_machine();
  const double many = predict(scheduled("bcast=knomial"), make_case("bcast", 8, 65536, 1), machine).seconds;
  const double few = predict(scheduled("bcast=knomial"), make_case("bcast", 8, 256, 1), machine).seconds;
  // Sixteen levels instead of eight.
  EXPECT_NEAR(many / few, 2, 0.2);
}

TEST(Candidates, ARefusedStrategyIsAnError) {
  const machine::Machine machine = machine::default_machine();
  EXPECT_THROW(predict(scheduled("allgather=neighbor_exchange"), make_case("allgather", 8, 7, 7), machine),
               Error);
}

} // namespace
} // namespace thalweg::tune

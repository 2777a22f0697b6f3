// SPDX-License-Identifier: BSD-3-Clause

// Schedules that network devices run are predicted with the figures of devices, as far as the machine has
// them.

#include "strategies/host_tree.hpp"
#include "strategies/selection.hpp"
#include "tune/candidates.hpp"
#include "tune/prediction.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

namespace thalweg::tune {
namespace {

constexpr double start_seconds = 5e-6;
constexpr double hop_seconds = 16e-6;
constexpr double wake_seconds = 2e-6;

machine::Machine with_devices() {
  machine::Machine machine = machine::default_machine();
  const auto exactly = [](double value) { return machine::Figure{value, value, value}; };
  machine.device = {exactly(start_seconds), exactly(hop_seconds), exactly(wake_seconds)};
  return machine;
}

strategies::Scheduled on_devices(const char* call, std::int64_t radix) {
  return strategies::schedule_of(strategies::parse_selection(fmt::format("{}=nic:radix={}", call, radix)));
}

Case on_nodes(const char* call, std::int64_t bytes, std::int32_t nodes, std::int32_t ranks_per_node) {
  Case wanted{strategies::find_call(call), bytes, nodes * ranks_per_node};
  for (std::int32_t rank = 0; rank < wanted.ranks; ++rank)
    wanted.nodes.push_back(rank / ranks_per_node);
  return wanted;
}

// Of a k-ary tree, levels below the root.
std::int32_t depth(std::int64_t nodes, std::int64_t radix) {
  std::int32_t levels = 0;
  for (std::int64_t covered = 1, level = 1; covered < nodes; ++levels)
    covered += level *= radix;
  return levels;
}

TEST(Devices, TakeAStartTheHopsOfTheirTreeAndAWake) {
  const machine::Machine machine = with_devices();
  for (const std::int32_t nodes : {2, 3, 8, 30})
    for (const std::int64_t radix : {2, 3, 8})
      for (const std::int32_t ranks_per_node : {1, 3}) {
        const Case wanted = on_nodes("barrier", 0, nodes, ranks_per_node);
        const model::Prediction found = predict(on_devices("barrier", radix), wanted, machine);
        EXPECT_NEAR(found.seconds, start_seconds + 2 * depth(nodes, radix) * hop_seconds + wake_seconds,
                    1e-12)
            << nodes << " nodes, radix " << radix;
        EXPECT_NEAR(found.cpu_max, start_seconds + wake_seconds, 1e-12);
        EXPECT_NEAR(found.cpu_seconds, start_seconds + wake_seconds, 1e-12);
      }
}

TEST(Devices, AreInTheTreeOfTheirSwitches) {
  const machine::Machine machine = with_devices();
  Case wanted = on_nodes("barrier", 0, 8, 1);
  EXPECT_NEAR(predict(on_devices("barrier", 8), wanted, machine).seconds,
              start_seconds + 2 * hop_seconds + wake_seconds, 1e-12);
  wanted.leaves = {0, 0, 0, 0, 1, 1, 1, 1};
  EXPECT_NEAR(predict(on_devices("barrier", 8), wanted, machine).seconds,
              start_seconds + 4 * hop_seconds + wake_seconds, 1e-12);
}

TEST(Devices, TakeTheirLinksTimeForBytes) {
  const machine::Machine machine = with_devices();
  const double gap = machine.at(machine::Level::network).at(4096).gap_per_byte.value;
  const Case wanted = on_nodes("bcast", 4096, 2, 1);
  EXPECT_NEAR(predict(on_devices("bcast", 2), wanted, machine).seconds,
              start_seconds + hop_seconds + 4096 * gap + wake_seconds, 1e-12);
}

// What is too long for them, on one node, or on a machine without figures is run by hosts, at their costs.
TEST(Devices, HaveNoPartInWhatTheEngineRuns) {
  const machine::Machine machine = with_devices();
  const machine::Machine without = machine::default_machine();
  std::mt19937 random(7);
  int by_devices = 0;
  for (const char* call : {"barrier", "bcast", "reduce", "allreduce", "allgather", "gather", "scatter"})
    for (int round = 0; round < 20; ++round) {
      const std::int64_t bytes =
          std::string_view(call) == "barrier" ? 0 : std::int64_t{1} << (3 + random() % 15);
      const Case wanted = on_nodes(call, bytes, 1 + static_cast<std::int32_t>(random() % 5), 2);
      const strategies::Scheduled nic = on_devices(call, 2);
      const bool fits =
          wanted.nodes.back() > 0 && strategies::fits_devices(problem_of(wanted, nic.parameters()));
      const model::Prediction found = predict(nic, wanted, machine);
      const model::Prediction by_hosts = predict(nic, wanted, without);
      EXPECT_EQ(found.seconds != by_hosts.seconds, fits) << call << " of " << bytes;
      Case of_team = wanted;
      of_team.may_offload = false;
      EXPECT_EQ(predict(nic, of_team, machine).seconds, by_hosts.seconds) << call;
      by_devices += fits ? 1 : 0;
      const strategies::Scheduled other = candidates(wanted, without, Breadth::defaults).front().scheduled;
      if (!other.strategy().offloads) {
        EXPECT_EQ(predict(other, wanted, machine).seconds, predict(other, wanted, without).seconds);
      }
    }
  EXPECT_GT(by_devices, 40);
  EXPECT_LT(by_devices, 120);
}

// So those whose trees have fewer hops come first.
TEST(Devices, AreSortedByTheirOwnPredictions) {
  const machine::Machine machine = with_devices();
  const std::vector<Candidate> found = candidates(on_nodes("barrier", 0, 16, 1), machine);
  const auto first =
      std::ranges::find_if(found, [](const Candidate& one) { return one.scheduled.strategy().offloads; });
  ASSERT_NE(first, found.end());
  EXPECT_NE(first->text.find("radix=16"), std::string::npos) << first->text;
}

} // namespace
} // namespace thalweg::tune

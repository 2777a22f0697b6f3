// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/cores.hpp"

#include "base/error.hpp"
#include "placed_programs.hpp"
#include "simulate/simulation.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

namespace thalweg::simulate {
namespace {

SharedCores on_machines_of(std::uint32_t ranks_each, std::uint32_t cores, Ticks switching) {
  SharedCores shared{.machines = {}, .cores = cores, .switching = switching};
  for (std::uint32_t rank = 0; rank < 64; ++rank)
    shared.machines.push_back(rank / ranks_each);
  return shared;
}

/// Each rank computes so often, one thing after another.
Program computing(std::uint32_t ranks, std::uint32_t times, Ticks each) {
  ProgramBuilder builder(ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    for (std::uint32_t time = 0; time < times; ++time) {
      builder.compute(each);
      if (time > 0)
        builder.require(time, time - 1, false);
    }
    builder.end_rank();
  }
  return builder.finish();
}

Result result_of(const Program& program, const SharedCores& shared) {
  return simulate(program, {.cores = shared}).result;
}

TEST(SharedCores, AreHandedOnWhenSomebodyHasDoneWhatItHad) {
  EXPECT_EQ(result_of(computing(8, 1, 1000), on_machines_of(8, 2, 10)).finish, 4 * 1000 + 3 * 10);
  EXPECT_EQ(result_of(computing(8, 1, 1000), on_machines_of(4, 2, 10)).finish, 2 * 1000 + 10);
  // What one rank does takes no turns with what the other does.
  EXPECT_EQ(result_of(computing(2, 5, 100), on_machines_of(2, 1, 10)).finish, 2 * 5 * 100 + 10);
  const Result found = result_of(computing(3, 1, 100), on_machines_of(3, 1, 10));
  EXPECT_EQ(by_kind(found.path)[static_cast<std::size_t>(CostKind::core)], 2 * 100 + 2 * 10);
}

TEST(SharedCores, ChangeNothingWhereThereAreEnough) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    const Program program = RandomProgram(random, 6, 200, 9000).built(loggops());
    EXPECT_EQ(fingerprint(result_of(program, on_machines_of(3, 3, 1000))),
              fingerprint(simulate(program, {}).result));
  }
}

/// The most processors of a machine that are at work at once.
std::int64_t most_at_work(const std::vector<Segment>& timeline, std::uint32_t machine,
                          std::uint32_t ranks_each) {
  std::vector<std::pair<Ticks, std::int64_t>> changes;
  for (const Segment& one : timeline)
    if (one.rank / ranks_each == machine && one.kind != CostKind::core) {
      changes.emplace_back(one.begin, 1);
      changes.emplace_back(one.end, -1);
    }
  std::ranges::sort(changes);
  std::int64_t now = 0;
  std::int64_t most = 0;
  for (const auto& [time, change] : changes)
    most = std::max(most, now += change);
  return most;
}

// Whatever the program and whatever is between: all is done, by no more processors than there are cores, each
// at one thing at a time, and the path has no gap.
TEST(SharedCores, KeepTheirPromisesForRandomPrograms) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const auto ranks = 2 + static_cast<std::uint32_t>(below(random, 9));
    const LogGops costs{.O = 0.5, .S = seed % 3 == 0 ? 5000 : 1 << 30};
    const Program program = RandomProgram(random, ranks, 300, 20000).built(loggops(costs));
    const std::uint32_t each = 2 + static_cast<std::uint32_t>(below(random, ranks));
    const std::uint32_t cores = 1 + static_cast<std::uint32_t>(below(random, each - 1));
    RankNetwork between = network("star", ranks);
    if (seed % 4 == 1)
      between = as_flow(between);
    const RankNetwork* const used = seed % 2 == 0 ? nullptr : &between;
    const SimulationOptions options{
        .has_timeline = true,
        .network = used,
        .noise = seed % 5 == 0 ? Noise{20'000, 3'000} : Noise{},
        .cores = on_machines_of(each, cores, static_cast<Ticks>(below(random, 3)) * 700)};
    const Simulation found = simulate(program, options);
    Ticks time = 0;
    for (const Segment& segment : found.result.path) {
      ASSERT_EQ(segment.begin, time);
      time = segment.end;
    }
    EXPECT_EQ(time, found.result.finish);
    EXPECT_EQ(found.result.busy, simulate(program, {.network = used}).result.busy);
    for (std::uint32_t machine = 0; machine <= (ranks - 1) / each; ++machine)
      EXPECT_LE(most_at_work(found.timeline, machine, each), cores);
    for (std::size_t i = 1; i < found.timeline.size(); ++i) {
      if (found.timeline[i - 1].rank == found.timeline[i].rank) {
        ASSERT_LE(found.timeline[i - 1].end, found.timeline[i].begin) << "rank " << found.timeline[i].rank;
      }
    }
    EXPECT_EQ(fingerprint(found.result), fingerprint(simulate(program, options).result));
  }
}

TEST(SharedCores, ThatNobodyCanHaveAreErrors) {
  const Program program = computing(8, 1, 10);
  EXPECT_THROW(result_of(program, on_machines_of(8, 0, 0)), Error);
  EXPECT_THROW(result_of(program, on_machines_of(8, 1, -1)), Error);
  EXPECT_THROW(result_of(program, {.machines = {0, 0}, .cores = 1}), Error);
}

} // namespace
} // namespace thalweg::simulate

// SPDX-License-Identifier: BSD-3-Clause

// Times of calls, of which some are timed: what they add up to, replayed on a clock of the test's.

#include "base/random.hpp"
#include "mpi/observe/call_table.hpp"
#include "mpi/observe/stopwatch.hpp"

#include <cmath>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <vector>

namespace thalweg::mpi::observe {
namespace {

struct ReplayedClocks {
  static inline std::uint64_t now_ns = 0;
  static std::uint64_t ticks() { return now_ns; }
  static std::uint64_t thread_cpu_ns() { return now_ns; }
  static std::uint64_t thread_cpu_reading_ns() { return 0; }
};

struct Replay {
  CallRow row;
  double all_ns = 0;
  double squares = 0;

  explicit Replay(std::uintptr_t site) { row.key.site = reinterpret_cast<const void*>(site); }

  void call(std::uint64_t ns) {
    BasicStopwatch<ReplayedClocks> watch;
    watch.start(row, false);
    ReplayedClocks::now_ns += ns;
    watch.stop(row);
    all_ns += static_cast<double>(ns);
    squares += static_cast<double>(ns) * static_cast<double>(ns);
  }
  /// What the documentation promises of the standard error, six times.
  double bound_ns() const { return 6 * std::sqrt(CallRow::calls_per_timed * squares); }
};

/// A program's calls: what the n-th takes.
using Durations = std::function<std::uint64_t(Random& random, int call)>;

struct Program {
  const char* name;
  Durations durations;
};

const std::vector<Program>& programs() {
  static const std::vector<Program> all{
      {"equal", [](Random&, int) { return 100; }},
      {"short", [](Random& random, int) { return 50 + random.below(200); }},
      {"slow at first",
       [](Random& random, int call) { return call < 3 ? 2'000'000 : 80 + random.below(40); }},
      {"long now and then",
       [](Random& random, int) { return random.below(500) == 0 ? 300'000 : 150 + random.below(50); }},
      {"in step with 32", [](Random&, int call) { return call % 32 == 0 ? 5'000 : 100; }},
      {"in step with 31", [](Random&, int call) { return call % 31 == 7 ? 5'000 : 100; }},
      {"long for a while",
       [](Random& random, int call) { return call / 5000 % 2 == 1 ? 20'000 + random.below(9'000) : 120; }},
      {"always long", [](Random& random, int) { return 4'000 + random.below(1'000'000); }},
  };
  return all;
}

Replay replayed(const Program& program, std::uint64_t seed, int calls) {
  counter_is_steady = false; // ticks are nanoseconds
  Replay replay(seed * 0x9E3779B9U + 64);
  Random random(seed);
  for (int call = 0; call < calls; ++call)
    replay.call(program.durations(random, call));
  return replay;
}

TEST(SampledTimes, AddUpToWhatAllCallsTook) {
  for (const Program& program : programs())
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      const Replay replay = replayed(program, seed, 40'000);
      EXPECT_NEAR(replay.row.all_ticks(), replay.all_ns, replay.bound_ns()) << program.name << ", " << seed;
    }
}

// Errors of single runs have no side that they prefer.
TEST(SampledTimes, AreRightInTheMean) {
  for (const Program& program : programs()) {
    double all = 0;
    double sampled = 0;
    double squares = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      const Replay replay = replayed(program, seed, 10'000);
      all += replay.all_ns;
      sampled += replay.row.all_ticks();
      squares += replay.squares;
    }
    EXPECT_NEAR(sampled, all, 4 * std::sqrt(CallRow::calls_per_timed * squares)) << program.name;
    EXPECT_NEAR(sampled / all, 1, 0.05) << program.name;
  }
}

TEST(SampledTimes, AreExactWhereAllCallsAreTimed) {
  const Replay replay = replayed(programs().back(), 1, CallRow::calls_before_frequent);
  EXPECT_EQ(replay.row.timed_calls, CallRow::calls_before_frequent);
  EXPECT_EQ(replay.row.all_ticks(), replay.all_ns);
}

TEST(SampledTimes, AreOfOneCallInEightWhereASiteMakesManyInARow) {
  const Replay replay = replayed(programs().back(), 1, CallRow::calls_before_frequent + 80'000);
  EXPECT_NEAR(static_cast<double>(replay.row.timed_calls), CallRow::calls_before_frequent + 10'000, 300);
  EXPECT_EQ(replay.row.calls, CallRow::calls_before_frequent + 80'000U);
  EXPECT_NEAR(replay.row.all_ticks(), replay.all_ns, 0.03 * replay.all_ns);
}

TEST(SampledTimes, AreOfOneShortCallIn32) {
  const Replay replay = replayed(programs().front(), 1, 16 + 32'000);
  EXPECT_NEAR(static_cast<double>(replay.row.timed_calls), 16 + 1'000, 20);
  EXPECT_EQ(replay.row.calls, 16U + 32'000U);
  EXPECT_NEAR(replay.row.all_ticks(), replay.all_ns, 1e-6 * replay.all_ns);
}

// As soon as calls are long, each of them is timed, however many short ones there were.
TEST(SampledTimes, FollowCallsThatBecomeLong) {
  Replay replay(64);
  for (int call = 0; call < 1'000'000; ++call)
    replay.call(100);
  const std::uint64_t before = replay.row.timed_calls;
  for (int call = 0; call < 1'000; ++call)
    replay.call(50'000);
  EXPECT_GE(replay.row.timed_calls - before, 1'000U - 2 * CallRow::calls_per_timed);
}

TEST(SampledTimes, OfACallUnderWayAreNotScaled) {
  Replay replay(64);
  replay.call(1'000'000);
  BasicStopwatch<ReplayedClocks> watch;
  ++ReplayedClocks::now_ns;
  watch.start(replay.row, false);
  EXPECT_EQ(replay.row.calls, 2U);
  EXPECT_EQ(replay.row.all_ticks(), 1'000'000);
}

} // namespace
} // namespace thalweg::mpi::observe

// SPDX-License-Identifier: BSD-3-Clause
#include "base/random.hpp"
#include "mpi/observe/call_table.hpp"
#include "mpi/observe/stopwatch.hpp"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>

namespace thalweg::mpi::observe {
namespace {

/// A thread's clocks: what it does takes time, and on a core CPU time too. A reading of the CPU clock is
/// work.
struct SyntheticClocks {
  static inline std::uint64_t now_ns = 0;
  static inline std::uint64_t cpu_ns = 0;
  static inline std::uint64_t readings = 0;
  static constexpr std::uint64_t reading_ns = 600;

  static void pass(std::uint64_t ns, std::uint64_t of_cpu_ns) {
    now_ns += ns;
    cpu_ns += of_cpu_ns;
  }
  static void begin() { now_ns = cpu_ns = readings = 0; }

  static std::uint64_t ticks() { return now_ns; }
  static std::uint64_t thread_cpu_ns() {
    ++readings;
    pass(reading_ns, reading_ns);
    return cpu_ns - reading_ns / 2;
  }
  static std::uint64_t thread_cpu_reading_ns() { return reading_ns; }
};

struct Call {
  double us;
  double cpu_us;
};

struct Seen {
  double share;
  double true_share;
  double readings_ns_per_ns; ///< of the time in the calls
};

Seen watch(int calls, std::uintptr_t site, const std::function<Call(int)>& call_of) {
  counter_is_steady = false; // ticks are nanoseconds
  SyntheticClocks::begin();
  CallRow row;
  row.key.site = reinterpret_cast<const void*>(site);
  double ns = 0;
  double cpu_ns = 0;
  for (int number = 0; number < calls; ++number) {
    const Call call = call_of(number);
    BasicStopwatch<SyntheticClocks> watch;
    watch.start(row, false);
    SyntheticClocks::pass(static_cast<std::uint64_t>(1e3 * call.us),
                          static_cast<std::uint64_t>(1e3 * call.cpu_us));
    watch.stop(row);
    ns += 1e3 * call.us;
    cpu_ns += 1e3 * call.cpu_us;
  }
  EXPECT_EQ(row.calls, static_cast<std::uint64_t>(calls));
  const auto readings = static_cast<double>(SyntheticClocks::readings * SyntheticClocks::reading_ns);
  return {row.cpu_share.share(1.0), cpu_ns / ns, readings / ns};
}

/// The mean over as many ranks as jobs have, and the costliest.
Seen watch_ranks(int calls, const std::function<Call(int)>& call_of) {
  constexpr int ranks = 64;
  Seen mean{0, 0, 0};
  for (int rank = 0; rank < ranks; ++rank) {
    const Seen one = watch(calls, 4096 + 64 * static_cast<std::uintptr_t>(rank), call_of);
    EXPECT_GE(one.share, 0.0);
    EXPECT_LE(one.share, 1.0);
    mean.share += one.share / ranks;
    mean.true_share = one.true_share;
    mean.readings_ns_per_ns = std::max(mean.readings_ns_per_ns, one.readings_ns_per_ns);
  }
  return mean;
}

TEST(CpuShare, IsAllOfACoreWhereCallsAreNeverOffIt) {
  for (const double us : {0.2, 1.0, 5.0, 70.0, 3000.0}) {
    const Seen seen = watch(20'000, 64, [&](int) { return Call{us, us}; });
    EXPECT_NEAR(seen.share, 1.0, 0.005) << us << " us";
  }
}

TEST(CpuShare, IsUnbiasedWhereCallsComeInPeriods) {
  // One call in 64 waits for others, as after 63 steps of something; also with other beginnings.
  for (const int first : {0, 1, 31, 63}) {
    const Seen seen = watch_ranks(50'000, [&](int number) {
      return number % 64 == first ? Call{5000, 50} : Call{40, 40};
    });
    EXPECT_NEAR(seen.share, seen.true_share, 0.02) << "waits in call " << first;
  }
}

TEST(CpuShare, IsUnbiasedWhereCallsChange) {
  const Seen seen = watch_ranks(40'000, [](int number) {
    if (number < 20'000)
      return Call{30, 30};
    return number < 39'900 ? Call{80, 20} : Call{10'000, 100};
  });
  EXPECT_NEAR(seen.share, seen.true_share, 0.02);
}

TEST(CpuShare, SeesFewLongCallsBehindShortOnes) {
  const Seen seen = watch(2'100, 64, [](int number) { return number < 2'000 ? Call{5, 5} : Call{1e6, 1e3}; });
  EXPECT_NEAR(seen.share, seen.true_share, 0.01);
}

TEST(CpuShare, IsRightWhereDurationsAreFarApart) {
  Random random(7);
  const Seen seen = watch_ranks(50'000, [&](int) {
    const double us = 20.0 / std::pow(1.0 - random.real(), 0.7); // few calls have most of the time
    return Call{us, std::min(us, 30.0)};
  });
  EXPECT_NEAR(seen.share, seen.true_share, 0.03);
}

TEST(CpuShare, IsReadRarelyHoweverLongCallsAre) {
  for (const double us : {0.5, 3.0, 20.0, 55.0, 400.0, 2000.0}) {
    const int calls = 4000 + static_cast<int>(1e6 / us); // a second
    EXPECT_LT(watch(calls, 64,
                    [&](int) {
                      return Call{us, us / 2};
                    })
                  .readings_ns_per_ns,
              0.003)
        << us << " us";
  }
  // Nor where long calls are among short ones.
  const auto mixed = [](int number) { return number % 200 == 0 ? Call{1200, 600} : Call{5, 5}; };
  EXPECT_LT(watch_ranks(100'000, mixed).readings_ns_per_ns, 0.003);
}

} // namespace
} // namespace thalweg::mpi::observe

// SPDX-License-Identifier: BSD-3-Clause

// Messages between which the kernel runs others, on a clock of the test's own: loads are what messages
// computed.

#include "objects/load_clock.hpp"

#include "base/random.hpp"

#include <gtest/gtest.h>

namespace {

using thalweg::Random;

struct Time {
  std::uint64_t ticks = 0;
  std::uint64_t processor_ns = 0;
  static constexpr std::uint64_t ticks_per_ns = 3;

  void compute(std::uint64_t ns) {
    ticks += ns * ticks_per_ns;
    processor_ns += ns;
  }
  void others_run(std::uint64_t ns) { ticks += ns * ticks_per_ns; }
};

struct FakeClock {
  Time* time = nullptr;
  int* reads = nullptr;
  std::uint64_t ticks() const { return time->ticks; }
  std::uint64_t processor_ns() const {
    ++*reads;
    return time->processor_ns;
  }
  double ns_per_tick() const { return 1.0 / Time::ticks_per_ns; }
};

TEST(ObjectLoads, AreProcessorTimeOnceOneMessageWasLong) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    Time time;
    int reads = 0;
    thalweg::objects::LoadClock<FakeClock> clock(FakeClock{&time, &reads});
    clock.restart();
    time.compute(1'000'000);
    EXPECT_EQ(clock.lap(), 1'000'000 * Time::ticks_per_ns);
    for (int message = 0; message < 50; ++message) {
      if (random.below(3) == 0) {
        time.others_run(static_cast<std::uint64_t>(random.below(1'000'000))); // a wait
        clock.restart();
      }
      const auto computes = static_cast<std::uint64_t>(random.below(200'000));
      const auto loses =
          random.below(2) == 0 ? 0U : 100'000U + static_cast<std::uint64_t>(random.below(5'000'000));
      time.compute(computes / 2);
      time.others_run(loses);
      time.compute(computes - computes / 2);
      EXPECT_NEAR(static_cast<double>(clock.lap()), static_cast<double>(computes * Time::ticks_per_ns), 2);
      EXPECT_EQ(clock.last(), time.ticks);
    }
  }
}

TEST(ObjectLoads, OfShortMessagesReadNoProcessorTime) {
  Time time;
  int reads = 0;
  thalweg::objects::LoadClock<FakeClock> clock(FakeClock{&time, &reads});
  for (int message = 0; message < 1000; ++message) {
    clock.restart();
    time.compute(100);
    EXPECT_EQ(clock.lap(), 100 * Time::ticks_per_ns);
  }
  EXPECT_EQ(reads, 0);
}

} // namespace

// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/samples.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace thalweg::mpi::observe {
namespace {

SampleStore store_after(std::uint64_t calls) {
  SampleStore store;
  for (std::uint64_t call = 0; call < calls; ++call) {
    if (store.wants(call)) {
      store.add({call, 10 * call, 10 * call + 5, nullptr});
    }
  }
  return store;
}

TEST(Samples, KeepTheFirstCalls) {
  const SampleStore store = store_after(SampleStore::first_calls);
  EXPECT_EQ(store.samples().size(), SampleStore::first_calls);
}

TEST(Samples, StayBoundedAndEvenlySpread) {
  for (const std::uint64_t calls : {20'000U, 100'000U, 1'000'000U}) {
    const SampleStore store = store_after(calls);
    EXPECT_LE(store.samples().size(), SampleStore::capacity) << calls;
    EXPECT_GE(store.samples().size(), SampleStore::capacity / 2 - 2) << calls;
    const std::uint64_t mean = calls / store.samples().size();
    std::uint64_t last = 0;
    for (const Sample& sample : store.samples()) {
      EXPECT_LE(sample.call - last, 3 * mean);
      EXPECT_EQ(sample.enter_ticks, 10 * sample.call);
      last = sample.call;
    }
  }
}

// A loop of a few calls shows all of them.
TEST(Samples, FallInStepWithNoLoop) {
  const SampleStore store = store_after(100'000);
  for (std::uint64_t period = 2; period <= 12; ++period) {
    std::vector<std::size_t> seen(period);
    for (const Sample& sample : store.samples()) {
      ++seen[sample.call % period];
    }
    EXPECT_GE(2 * period * *std::ranges::min_element(seen), store.samples().size()) << period;
  }
}

// Ranks may have made different numbers of calls when asked; what was kept of few, less what many leave no
// room for, is kept of many.
TEST(Samples, OfRanksAreTheSameCalls) {
  const SampleStore ahead = store_after(70'000);
  const SampleStore behind = store_after(10'000);
  std::size_t common = 0;
  for (const Sample& other : ahead.samples()) {
    common += other.call < 10'000 ? 1U : 0U;
    const bool is_kept = std::ranges::any_of(behind.samples(),
                                             [&](const Sample& sample) { return sample.call == other.call; });
    EXPECT_EQ(is_kept, other.call < 10'000) << other.call;
  }
  EXPECT_GT(common, 0U);
}

} // namespace
} // namespace thalweg::mpi::observe

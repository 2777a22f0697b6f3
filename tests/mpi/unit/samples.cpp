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

TEST(Samples, KeepEverythingThatFits) {
  const SampleStore store = store_after(SampleStore::capacity);
  EXPECT_EQ(store.samples().size(), SampleStore::capacity);
  EXPECT_EQ(store.stride(), 1U);
}

TEST(Samples, StayBoundedAndEvenlySpread) {
  for (const std::uint64_t calls : {1025U, 5000U, 100'000U, 1'000'000U}) {
    const SampleStore store = store_after(calls);
    EXPECT_LE(store.samples().size(), SampleStore::capacity) << calls;
    EXPECT_GE(store.samples().size(), SampleStore::capacity / 2) << calls;
    std::uint64_t expected = 0;
    for (const Sample& sample : store.samples()) {
      EXPECT_EQ(sample.call, expected);
      EXPECT_EQ(sample.enter_ticks, 10 * sample.call);
      expected += store.stride();
    }
  }
}

// Ranks may have made different numbers of calls when asked; what the slower one has, the faster one has too,
// up to the coarser stride.
TEST(Samples, OfRanksAreTheSameCalls) {
  const SampleStore ahead = store_after(70'000);
  const SampleStore behind = store_after(60'000);
  const std::uint64_t stride = std::max(ahead.stride(), behind.stride());
  std::size_t common = 0;
  for (const Sample& sample : behind.samples()) {
    for (const Sample& other : ahead.samples()) {
      common += sample.call == other.call ? 1U : 0U;
    }
  }
  EXPECT_EQ(common, (60'000 + stride - 1) / stride);
}

} // namespace
} // namespace thalweg::mpi::observe

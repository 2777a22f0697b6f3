// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/histograms.hpp"

#include "base/random.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace thalweg::mpi::observe {
namespace {

// Of all lengths, the short ones as often as the long ones.
std::uint64_t random_ticks(std::uint64_t number) {
  const std::uint64_t bits = mixed_hash(1, number) % 42;
  return mixed_hash(2, number) & ((std::uint64_t{2} << bits) - 1);
}

TEST(Durations, LieInTheirClass) {
  for (std::uint64_t number = 0; number < 100'000; ++number) {
    const std::uint64_t ticks = random_ticks(number);
    const std::size_t index = duration_class(ticks);
    ASSERT_LT(index, duration_classes);
    ASSERT_LE(duration_class_begin(index), ticks);
    ASSERT_LT(ticks, duration_class_begin(index + 1));
    if (ticks >= 4) {
      ASSERT_LE(duration_class_begin(index + 1), duration_class_begin(index) * 5 / 4) << "a quarter at most";
    }
  }
  EXPECT_EQ(duration_class(UINT64_MAX), duration_classes - 1);
}

TEST(Durations, HaveQuantilesThatAreRightToTheClass) {
  for (std::uint64_t round = 0; round < 50; ++round) {
    CallCounts counts;
    std::vector<std::uint64_t> exact;
    for (std::uint64_t call = 0; call < 1 + mixed_hash(3, round) % 1000; ++call) {
      const std::uint64_t ticks = random_ticks(round * 1000 + call);
      const std::uint64_t weight = 1 + mixed_hash(4, call) % 3;
      counts.add_duration(ticks, weight);
      exact.insert(exact.end(), weight, ticks);
    }
    std::ranges::sort(exact);
    const DurationCounts all = duration_counts(counts);
    for (const double share : {0.01, 0.5, 0.95, 1.0}) {
      const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(exact.size())));
      const std::size_t index = duration_class(exact[std::max<std::size_t>(rank, 1) - 1]);
      EXPECT_GE(quantile(all, share), static_cast<double>(duration_class_begin(index)));
      EXPECT_LE(quantile(all, share), static_cast<double>(duration_class_begin(index + 1)));
    }
  }
  EXPECT_EQ(quantile({}, 0.5), 0);
}

TEST(Durations, KeepTheirCallsWhereTheClockIsAnother) {
  DurationCounts counts;
  std::uint64_t calls = 0;
  for (std::uint16_t index = 0; index < 120; ++index) {
    counts[index] = index + 1U;
    calls += counts[index];
  }
  std::uint64_t kept = 0;
  for (const auto& [index, count] : scaled(counts, 1.7))
    kept += count;
  EXPECT_EQ(kept, calls);
}

TEST(Sizes, LieInTheirClass) {
  for (std::uint64_t number = 0; number < 10'000; ++number) {
    const std::uint64_t bytes = random_ticks(number);
    const std::size_t index = size_class(bytes);
    ASSERT_LT(index, size_classes);
    ASSERT_LE(size_class_begin(index), bytes);
    if (bytes > 0) {
      ASSERT_LT(bytes, size_class_begin(index + 1));
    }
  }
  EXPECT_EQ(size_class(UINT64_MAX), size_classes - 1);
}

TEST(Sizes, AddUpToTheBytes) {
  CallCounts counts;
  for (const std::uint64_t bytes : {0U, 0U, 8U, 9U, 15U, 16U})
    counts.add_size(bytes);
  EXPECT_EQ(counts.bytes(), 48U);
  const SizeCounts sizes = size_counts(counts);
  ASSERT_EQ(sizes.size(), 3U);
  EXPECT_EQ(sizes.at(0).calls, 2U);
  EXPECT_EQ(sizes.at(4).calls, 3U);
  EXPECT_EQ(sizes.at(5).bytes, 16U);
}

} // namespace
} // namespace thalweg::mpi::observe

// SPDX-License-Identifier: BSD-3-Clause
#include "pattern/traffic.hpp"

#include <gtest/gtest.h>

namespace thalweg::pattern {
namespace {

TEST(SizeClass, HoldsSizesUpToAPowerOfTwo) {
  EXPECT_EQ(size_class(0), 0);
  EXPECT_EQ(size_class(1), 1);
  EXPECT_EQ(size_class(2), 2);
  for (std::int64_t power = 2; power < std::int64_t{1} << 40; power *= 2) {
    EXPECT_EQ(size_class(power), size_class(power / 2 + 1)) << power;
    EXPECT_EQ(size_class(power + 1), size_class(power) + 1) << power;
  }
}

TEST(TrafficClass, TellsFewLargeMessagesFromManySmallOnes) {
  // 8 ranks, 10 calls: the same bytes, to 2 others or to 7.
  const Traffic sparse{8 * 10 * 2, 8 * 10 * 14000};
  const Traffic dense{8 * 10 * 7, 8 * 10 * 14000};
  EXPECT_NE(traffic_class(sparse, 10, 8), traffic_class(dense, 10, 8));
  EXPECT_EQ(bytes_per_message(sparse), 7000);
  EXPECT_EQ(bytes_per_message(dense), 2000);
}

TEST(TrafficClass, OfNothingIsNothing) {
  EXPECT_EQ(traffic_class({}, 10, 8), TrafficClass{});
  EXPECT_EQ(bytes_per_message({}), 0);
}

TEST(Visit, KeepsWaitingApartFromTransfer) {
  const Visit visit{1.0, 3.0, 3.5};
  EXPECT_DOUBLE_EQ(visit.skew(), 2.0);
  EXPECT_DOUBLE_EQ(visit.transfer(), 0.5);
  Arrivals arrivals;
  arrivals.add(visit);
  arrivals.add({0, 0, -1}); // clocks apart
  EXPECT_EQ(arrivals.calls, 2U);
  EXPECT_DOUBLE_EQ(arrivals.skew_seconds, 2.0);
  EXPECT_DOUBLE_EQ(arrivals.transfer_seconds, 0.5);
}

TEST(Degree, IsAMeanRanksOtherRanks) {
  EXPECT_DOUBLE_EQ(degree({.messages = 240, .bytes = 1}, 10, 8), 3);
  EXPECT_DOUBLE_EQ(degree({.messages = 20, .bytes = 1}, 10, 8), 0.25) << "most ranks have nothing for others";
  EXPECT_DOUBLE_EQ(degree({}, 0, 8), 0);
}

} // namespace
} // namespace thalweg::pattern

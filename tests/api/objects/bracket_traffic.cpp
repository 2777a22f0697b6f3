// SPDX-License-Identifier: BSD-3-Clause

// What traveled in brackets, counted on a rank.

#include "objects/bracket_traffic.hpp"

#include <gtest/gtest.h>

namespace {

using namespace thalweg::objects;

TEST(BracketTraffic, CallsOfAnIterationToARankAreOneMessage) {
  BracketTraffic traffic(4);
  for (std::uint32_t iteration = 0; iteration < 3; ++iteration)
    for (int call = 0; call < 5; ++call) {
      traffic.note_call(1, iteration);
      traffic.note_call(3, iteration);
      traffic.note_bytes(10);
    }
  const RankPeriod period = traffic.take(1);
  EXPECT_EQ(period.messages, 2 * 3);
  EXPECT_EQ(period.bytes, 5 * 3 * 10);
  EXPECT_EQ(traffic.take(1).messages, 0) << "taken before";
}

TEST(BracketTraffic, IterationsAreOnesOfAllElements) {
  BracketTraffic traffic(2);
  for (int end = 0; end < 12; ++end)
    traffic.note_end();
  EXPECT_EQ(traffic.take(3).iterations, 4);
  EXPECT_EQ(traffic.take(0).iterations, 0) << "a rank without elements";
}

TEST(BracketTraffic, IterationsThatBeginAgainOpenMessagesAgain) {
  BracketTraffic traffic(2);
  traffic.note_call(1, 7);
  traffic.note_call(1, 3); // of an earlier one, which had none
  EXPECT_EQ(traffic.take(1).messages, 1);
  traffic.restart();
  traffic.note_call(1, 3);
  EXPECT_EQ(traffic.take(1).messages, 1);
}

TEST(BracketTraffic, MulticastsCountForEachRank) {
  BracketTraffic traffic(8);
  traffic.note_multicast(100, 5);
  traffic.note_received(2, 64);
  const RankPeriod period = traffic.take(1);
  EXPECT_EQ(period.multicast_bytes, 500);
  EXPECT_EQ(period.received_messages, 2);
  EXPECT_EQ(period.received_bytes, 64);
}

} // namespace

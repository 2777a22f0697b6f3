// SPDX-License-Identifier: BSD-3-Clause
#include "transport/shm/line_ping.hpp"

#include <gtest/gtest.h>
#include <thread>

namespace thalweg::transport {
namespace {

TEST(LinePing, NobodyWaitsLongWhereTheOtherDoesNotCome) {
  PingLines lines{};
  LinePing asks(&lines, true);
  LinePing answers(&lines, false);
  for (int look = 0; look < 10; ++look)
    EXPECT_EQ(asks.look_ns(), 0);
  for (int look = 0; look < 10; ++look)
    EXPECT_EQ(answers.look_ns(), 0);
}

// Looks that were missed do no harm to the next ones. On a busy machine any may be missed.
TEST(LinePing, OneOfTwoLearnsTheDistance) {
  PingLines lines{};
  LinePing asks(&lines, true);
  LinePing answers(&lines, false);
  answers.look_ns();
  asks.look_ns();
  asks.look_ns();
  std::atomic<bool> is_known = false;
  std::thread other([&] {
    while (!is_known)
      EXPECT_EQ(answers.look_ns(), 0);
  });
  double found = 0;
  while (found == 0)
    found = asks.look_ns();
  is_known = true;
  other.join();
  EXPECT_GT(found, 1);
}

// Only what the other end has written since tells anything, whoever comes how often.
TEST(LinePing, AGlanceTellsOfLinesThatWereWrittenSince) {
  PingLines lines{};
  LinePing one(&lines, true);
  LinePing other(&lines, false);
  EXPECT_EQ(one.glance(), 0);
  const bool has_clock = other.glance() > 0;
  EXPECT_EQ(other.glance(), 0);
  for (int turn = 0; turn < 3; ++turn) {
    EXPECT_EQ(one.glance() > 0, has_clock);
    EXPECT_EQ(one.glance(), 0);
    EXPECT_EQ(other.glance() > 0, has_clock);
  }
}

} // namespace
} // namespace thalweg::transport

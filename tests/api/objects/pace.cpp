// SPDX-License-Identifier: BSD-3-Clause
#include "objects/pace.hpp"

#include <gtest/gtest.h>

namespace thalweg::objects {
namespace {

TEST(Pace, WhoHasRunNothingTakesPartAtOnce) {
  Pace pace;
  pace.begin(1000);
  EXPECT_TRUE(pace.has_rested(1000));
}

// Messages that come again and again: no round; and behind the last one a round comes later by a sixteenth.
TEST(Pace, RanksThatAnswerEachOtherDoNotAskWhetherAllIsQuiet) {
  Pace pace;
  pace.begin(0);
  std::uint64_t now = 0;
  int rounds = 0;
  for (int message = 0; message < 1000; ++message) {
    now += 300;
    pace.run(now);
    now += 200; // idle until the answer
    rounds += pace.has_rested(now) ? 1 : 0;
  }
  EXPECT_LE(rounds, 16 * 200 / 500 + 1);
}

TEST(Pace, TheRestIsASixteenthAndBounded) {
  for (const std::uint64_t ran : {std::uint64_t{16}, std::uint64_t{16'000}, std::uint64_t{1} << 40U}) {
    Pace pace;
    pace.begin(5);
    pace.run(5 + ran);
    const std::uint64_t rest = std::min<std::uint64_t>(ran / 16, 100'000);
    EXPECT_FALSE(pace.has_rested(5 + ran + rest - 1));
    EXPECT_TRUE(pace.has_rested(5 + ran + rest));
    pace.begin(5 + ran);
    EXPECT_TRUE(pace.has_rested(5 + ran)) << "a verdict begins anew";
  }
}

TEST(Pace, OthersAreLookedAfterWhileMessagesRun) {
  Pace pace;
  pace.look(1000);
  EXPECT_FALSE(pace.is_look_due(1000));
  EXPECT_FALSE(pace.is_look_due(51'000));
  EXPECT_TRUE(pace.is_look_due(51'001));
  pace.look(51'001);
  EXPECT_FALSE(pace.is_look_due(51'001));
}

} // namespace
} // namespace thalweg::objects

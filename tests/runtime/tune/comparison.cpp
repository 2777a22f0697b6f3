// SPDX-License-Identifier: BSD-3-Clause
#include "tune/search.hpp"

#include <gtest/gtest.h>

namespace thalweg::tune {
namespace {

using evidence::Decision;
using Cores = Comparison::Cores;

constexpr double near = 55e-9;
constexpr double far = 280e-9;

TEST(Comparison, ForgetsWhatWasMeasuredBeforeCoresMoved) {
  Comparison comparison(1.03);
  comparison.begin();
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(comparison.see({near, near * 1.2}), Cores::stayed);
    EXPECT_EQ(comparison.add(2, 1, false).decision, Decision::open);
  }
  EXPECT_EQ(comparison.see({far, far}), Cores::moved_before);
  EXPECT_EQ(comparison.add(2, 1, false).decision, Decision::open);
  EXPECT_EQ(comparison.see({far, far}), Cores::stayed);
}

TEST(Comparison, WithoutAMoveTheFourthClearWinDecides) {
  Comparison comparison(1.03);
  comparison.begin();
  Decision decision = Decision::open;
  for (int round = 0; round < 4; ++round) {
    EXPECT_EQ(comparison.see({near, near}), Cores::stayed);
    decision = comparison.add(2, 1, false).decision;
  }
  EXPECT_EQ(decision, Decision::surely_faster);
}

TEST(Comparison, RoundsInWhichCoresMoveSayNothing) {
  Comparison comparison(1.03);
  comparison.begin();
  EXPECT_EQ(comparison.see({near, far}), Cores::moved_meanwhile);
  EXPECT_EQ(comparison.see({far, near}), Cores::moved_meanwhile);
  EXPECT_EQ(comparison.see({near, near}), Cores::stayed);
}

TEST(Comparison, WhatIsNotKnownMayBeAnyDistance) {
  Comparison comparison(1.03);
  comparison.begin();
  EXPECT_EQ(comparison.see({0, 0}), Cores::stayed);
  EXPECT_EQ(comparison.see({near, 0}), Cores::stayed);
  EXPECT_EQ(comparison.see({0, near}), Cores::stayed);
  EXPECT_EQ(comparison.see({0, 0}), Cores::stayed);
  EXPECT_EQ(comparison.see({0, far}), Cores::moved_before);
}

TEST(Comparison, CoresThatMoveAllTheTimeDoNotKeepItFromItsEnd) {
  Comparison comparison(1.03);
  comparison.begin();
  int counted = 0;
  for (int round = 0; round < 20; ++round)
    counted += comparison.see({near, far}) == Cores::stayed ? 1 : 0;
  EXPECT_GE(counted, 10);
  comparison.begin();
  EXPECT_EQ(comparison.see({near, far}), Cores::moved_meanwhile);
}

} // namespace
} // namespace thalweg::tune

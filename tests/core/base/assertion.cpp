// SPDX-License-Identifier: BSD-3-Clause

// Assertions end the process at their level and below it, and evaluate nothing above.

#undef THALWEG_ASSERT_LEVEL // the command line may have one
#define THALWEG_ASSERT_LEVEL 2
#include "base/assertion.hpp"

#include <gtest/gtest.h>

namespace {

TEST(AssertionDeathTest, SaysWhatDoesNotHold) {
  const int found = 3;
  EXPECT_DEATH(THALWEG_ASSERT(light, found == 4), "assertion.cpp:.*found == 4 does not hold");
  EXPECT_DEATH(THALWEG_ASSERT(normal, found == 4), "found == 4 does not hold");
}

TEST(Assertion, EvaluatesNothingAboveItsLevel) {
  int evaluations = 0;
  THALWEG_ASSERT(heavy, ++evaluations < 0);
  EXPECT_EQ(evaluations, 0);
  THALWEG_ASSERT(normal, ++evaluations > 0);
  EXPECT_EQ(evaluations, 1);
}

} // namespace

// SPDX-License-Identifier: BSD-3-Clause
#include "objects/fence_terms.hpp"

#include <gtest/gtest.h>

namespace thalweg::objects {
namespace {

TEST(FenceTerms, MoveNothingForAMicrosecond) {
  const FenceTerms usual = completed({0, 0, 0, 0});
  EXPECT_FALSE(usual.pays(1e-6, 0));
  EXPECT_FALSE(usual.pays(1e-6, 1e-9));
  EXPECT_TRUE(usual.pays(1e-3, 0));
}

TEST(FenceTerms, WantMoreThanMovingTakes) {
  const FenceTerms usual = completed({0, 0, 0, 0});
  EXPECT_FALSE(usual.pays(1, 0.7));
  EXPECT_TRUE(usual.pays(1, 0.6));
  EXPECT_TRUE(completed({0, 0, 1.1, 0}).pays(1, 0.7));
  EXPECT_FALSE(completed({0, 0, 2, 0}).pays(1, 0.6));
}

TEST(FenceTerms, AreWhatAProgramSays) {
  const FenceTerms eager = completed({0.01, 1e6, 0.5, 1e-9});
  EXPECT_TRUE(eager.are_uneven(1.02));
  EXPECT_EQ(eager.steps, 1e6);
  EXPECT_TRUE(eager.pays(1e-6, 1e-6));
  EXPECT_FALSE(eager.pays(1e-10, 0));
  const FenceTerms usual = completed({0, 0, 0, 0});
  EXPECT_FALSE(usual.are_uneven(1.04));
  EXPECT_TRUE(usual.are_uneven(1.06));
  EXPECT_EQ(usual.steps, 1);
}

} // namespace
} // namespace thalweg::objects

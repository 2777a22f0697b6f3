// SPDX-License-Identifier: BSD-3-Clause

// When elements move at fences, and in which order they are taken: heavier ones come first, but for those
// that weigh about the same.

#include "objects/fences.hpp"

#include <gtest/gtest.h>
#include <random>
#include <set>

namespace {

using namespace thalweg::objects;

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

TEST(LoadOrder, KindsRiseWithLoads) {
  std::size_t last = load_kind(0);
  for (std::uint64_t load = 1; load < (1U << 20); ++load) {
    const std::size_t kind = load_kind(load);
    ASSERT_TRUE(kind == last || kind == last + 1) << load;
    last = kind;
  }
  EXPECT_LT(load_kind(800), load_kind(900));
  EXPECT_EQ(load_kind(1030), load_kind(1100));
}

TEST(LoadOrder, HeavyOnesComeFirst) {
  std::mt19937_64 random(3);
  for (const std::size_t count : {0U, 1U, 2U, 1000U}) {
    std::vector<std::uint64_t> loads;
    std::vector<std::size_t> elements;
    for (std::size_t one = 0; one < count; ++one) {
      loads.push_back(random() >> random() % 64);
      elements.push_back(one);
    }
    const std::vector<std::size_t> sorted = heaviest_first(elements, loads);
    EXPECT_EQ(std::set<std::size_t>(sorted.begin(), sorted.end()).size(), count);
    for (std::size_t i = 1; i < sorted.size(); ++i) {
      ASSERT_GE(1.125 * static_cast<double>(loads[sorted[i - 1]]), static_cast<double>(loads[sorted[i]]));
      const bool are_alike = load_kind(loads[sorted[i - 1]]) == load_kind(loads[sorted[i]]);
      ASSERT_TRUE(!are_alike || sorted[i - 1] < sorted[i]) << "alike, and in another order";
    }
  }
}

} // namespace

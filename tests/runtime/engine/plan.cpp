// SPDX-License-Identifier: BSD-3-Clause
#include "engine/plan.hpp"

#include <gtest/gtest.h>

namespace thalweg::engine {
namespace {

TEST(PlanCache, FindsWhatWasInsertedUnderJustThatKey) {
  PlanCache<int> cache;
  cache.insert({1, 2, 3}, std::make_shared<int>(5));
  EXPECT_EQ(*cache.find({1, 2, 3}), 5);
  EXPECT_EQ(cache.find({1, 2}), nullptr);
  EXPECT_EQ(cache.find({1, 3, 2}), nullptr);
  EXPECT_EQ(cache.find({}), nullptr);
}

TEST(PlanCache, ForgetsAllWhenItIsFullAndLeavesWhatIsHeld) {
  PlanCache<int> cache;
  for (std::int64_t key = 0; key < static_cast<std::int64_t>(PlanCache<int>::capacity); ++key)
    cache.insert({key}, std::make_shared<int>(static_cast<int>(key)));
  const std::shared_ptr<int> held = cache.find({7});
  cache.insert({-1}, std::make_shared<int>(-1));
  EXPECT_EQ(cache.size(), 1U);
  EXPECT_EQ(cache.find({7}), nullptr);
  EXPECT_EQ(*held, 7);
}

} // namespace
} // namespace thalweg::engine

// SPDX-License-Identifier: BSD-3-Clause
#include "engine/execution.hpp"

#include <gtest/gtest.h>
#include <set>

namespace thalweg::engine {
namespace {

TEST(TagSupply, GivesCallsThatFollowEachOtherTagsOfTheirOwn) {
  for (const std::int32_t limit : {32767, 32768, 1 << 20, 1 << 23, INT32_MAX}) {
    TagSupply supply(limit);
    std::set<std::int32_t> firsts;
    for (int call = 0; call < 255; ++call) {
      const Tags tags = supply.for_call();
      EXPECT_EQ(tags.count & (tags.count - 1), 0) << "not a power of two";
      EXPECT_GE(tags.first, 0);
      EXPECT_LE(tags.first, limit - tags.count);
      EXPECT_EQ(tags.first % tags.count, 0);
      EXPECT_TRUE(firsts.insert(tags.first).second) << call;
    }
  }
}

TEST(TagSupply, NeverGivesPersistentTagsToCalls) {
  TagSupply supply(32767);
  std::set<std::int32_t> persistent;
  for (;;) {
    const Tags tags = supply.for_persistent();
    if (tags.count == 0)
      break;
    EXPECT_LE(tags.first, 32767 - tags.count);
    EXPECT_TRUE(persistent.insert(tags.first).second);
  }
  EXPECT_GE(persistent.size(), 255U);
  for (int call = 0; call < 1000; ++call)
    EXPECT_FALSE(persistent.contains(supply.for_call().first));
}

} // namespace
} // namespace thalweg::engine

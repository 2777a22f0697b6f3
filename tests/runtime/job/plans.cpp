// SPDX-License-Identifier: BSD-3-Clause
#include "job/buffers.hpp"
#include "job/picks_by_shape.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <string>

namespace thalweg::job {
namespace {

struct Sized {
  std::int64_t bytes;
  std::string name;
};

TEST(PicksByShape, GiveTheNearestSizeOfJustThatShape) {
  PicksByShape<Sized> picks;
  EXPECT_TRUE(picks.is_empty());
  picks.add(4, 1, {1024, "large"});
  picks.add(4, 1, {8, "small"});
  picks.add(4, 2, {8, "two nodes"});
  EXPECT_EQ(picks.nearest(4, 1, 1)->name, "small");
  EXPECT_EQ(picks.nearest(4, 1, 64)->name, "small");  // 8 times as large, and 16 times as small
  EXPECT_EQ(picks.nearest(4, 1, 100)->name, "large"); // 12.5 times as large, and 10 times as small
  EXPECT_EQ(picks.nearest(4, 1, 1 << 20)->name, "large");
  EXPECT_EQ(picks.nearest(4, 2, 1 << 20)->name, "two nodes");
  EXPECT_EQ(picks.nearest(3, 1, 8), nullptr);
  EXPECT_EQ(picks.nearest(4, 3, 8), nullptr);
}

TEST(BufferUse, CopiesTheInputOnlyWhereTheStrategyNeedsIt) {
  EXPECT_FALSE(buffer_use(false, false).copies_input);
  EXPECT_FALSE(buffer_use(false, true).in_place);
  EXPECT_TRUE(buffer_use(true, true).in_place);
  EXPECT_FALSE(buffer_use(true, true).copies_input);
  EXPECT_TRUE(buffer_use(true, false).copies_input);
  EXPECT_FALSE(buffer_use(true, false).in_place);
}

TEST(Storage, GrowsAndStaysWhereItIsEnough) {
  Storage storage;
  std::byte* const first = storage.grow(100);
  std::memset(first, 1, 100);
  EXPECT_EQ(storage.grow(50), first);
  std::byte* const larger = storage.grow(1000);
  std::memset(larger, 1, 1000);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(larger) % alignof(std::max_align_t), 0U);
}

} // namespace
} // namespace thalweg::job

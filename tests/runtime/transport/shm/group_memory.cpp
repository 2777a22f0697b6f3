// SPDX-License-Identifier: BSD-3-Clause

// Nothing of a group's memory is given twice, or lies outside of it.

#include "transport/shm/doorbell.hpp"
#include "transport/shm/shm_transport.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace thalweg::transport {
namespace {

class GroupOf : public testing::TestWithParam<std::int32_t> {};

/// Counts how often each line of a group's memory is given. The memory is never looked at, so there is none.
class Lines {
public:
  explicit Lines(std::size_t bytes) : given_((bytes + cache_line - 1) / cache_line) {}
  void give(const void* place, std::size_t bytes) {
    const auto begin = reinterpret_cast<std::uintptr_t>(place) - reinterpret_cast<std::uintptr_t>(memory());
    ASSERT_EQ(begin % cache_line, 0U);
    ASSERT_LE(begin + bytes, given_.size() * cache_line);
    for (std::size_t line = begin / cache_line; line * cache_line < begin + bytes; ++line)
      ASSERT_EQ(given_[line]++, 0) << "line " << line;
  }
  static std::byte* memory() { return reinterpret_cast<std::byte*>(std::uintptr_t{1} << 40); }

private:
  std::vector<char> given_;
};

TEST_P(GroupOf, RanksGivesEachLineOnce) {
  const std::int32_t ranks = GetParam();
  const GroupMemory group(ranks);
  std::byte* const memory = Lines::memory();
  Lines lines(group.bytes());
  const std::byte* last_prepared = nullptr;
  for (Rank to = 0; to < ranks; ++to) {
    lines.give(GroupMemory::doorbell(memory, to), sizeof(Doorbell));
    lines.give(group.core_slots(memory) + to, sizeof(CoreSlot));
    for (Rank from = 0; from < ranks; ++from) {
      const ChannelMemory channel = group.channel(memory, from, to);
      for (std::uint64_t slot = 0; slot < channel.shape.slots(); ++slot)
        lines.give(&channel.slot(slot), sizeof(Slot));
      lines.give(channel.credit, sizeof(Credit));
      lines.give(channel.ring, channel.shape.ring_bytes);
      last_prepared = reinterpret_cast<const std::byte*>(channel.credit + 1);
    }
  }
  const std::byte* const first_buffer = group.channel(memory, 0, 0).broadcast_buffer;
  const std::size_t broadcast_bytes =
      static_cast<std::size_t>(memory + group.bytes() - first_buffer) / static_cast<std::size_t>(ranks);
  for (Rank rank = 0; rank < ranks; ++rank) {
    EXPECT_EQ(group.channel(memory, rank, 0).broadcast_buffer,
              first_buffer + static_cast<std::size_t>(rank) * broadcast_bytes);
    EXPECT_LE(sizeof(BroadcastHeader) + group.broadcast_buffer(memory, rank).max_bytes(), broadcast_bytes);
    lines.give(first_buffer + static_cast<std::size_t>(rank) * broadcast_bytes, broadcast_bytes);
  }
  const std::size_t prepared = group.bytes_to_prepare();
  EXPECT_TRUE(prepared == 0 || last_prepared <= memory + prepared);
}

INSTANTIATE_TEST_SUITE_P(GroupMemory, GroupOf, testing::Values(1, 2, 3, 7, 8, 9, 16, 17, 33, 64, 100, 128));

TEST(GroupMemory, OfUpTo32RanksIsPrepared) {
  for (std::int32_t ranks = 1; ranks <= 32; ++ranks)
    EXPECT_GT(GroupMemory(ranks).bytes_to_prepare(), 0U) << ranks;
  EXPECT_EQ(GroupMemory(128).bytes_to_prepare(), 0U) << "each of 128 would map some thousand pages";
}

} // namespace
} // namespace thalweg::transport

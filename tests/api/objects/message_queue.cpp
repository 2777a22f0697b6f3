// SPDX-License-Identifier: BSD-3-Clause

// Messages of all sizes come out as they went in.

#include "objects/message_queue.hpp"

#include <cstring>
#include <deque>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace {

using namespace thalweg::objects;

TEST(MessageQueue, KeepsOrderAndBytes) {
  std::mt19937 random(7);
  char* next = nullptr;
  char* end = nullptr;
  MessageQueue queue({next, end});
  std::deque<std::vector<char>> expected;
  for (int step = 0; step < 100'000; ++step) {
    const bool puts = random() % 1000 < (step % 10'000 < 5'000 ? 600U : 400U);
    if (puts) {
      const std::size_t bytes = aligned(1 + random() % (random() % 100 == 0 ? 200'000 : 200));
      std::vector<char> message(bytes, static_cast<char>(random()));
      if (random() % 50 == 0) {
        MessageMemory own = message_memory(bytes);
        std::memcpy(own.get(), message.data(), bytes);
        queue.adopt(std::move(own), bytes);
      } else {
        char* const at = queue.place(bytes);
        ASSERT_EQ(reinterpret_cast<std::uintptr_t>(at) % message_alignment, 0U);
        std::memcpy(at, message.data(), bytes);
      }
      expected.push_back(std::move(message));
    } else if (!expected.empty()) {
      ASSERT_FALSE(queue.is_empty());
      ASSERT_EQ(std::memcmp(queue.front(), expected.front().data(), expected.front().size()), 0) << step;
      queue.pop(expected.front().size());
      expected.pop_front();
    }
    ASSERT_EQ(queue.is_empty(), expected.empty()) << step;
  }
}

// A message of just a piece's size leaves its memory for others, which nobody may be given to keep then.
TEST(MessageQueue, MemoryThatIsUsedAgainHasSeveralMessages) {
  constexpr std::size_t piece_bytes = std::size_t{64} << 10;
  char* next = nullptr;
  char* end = nullptr;
  MessageQueue queue({next, end});
  queue.adopt(message_memory(piece_bytes), piece_bytes);
  queue.pop(piece_bytes);
  queue.place(64);
  queue.place(64);
  EXPECT_EQ(queue.release_front(), nullptr);
}

TEST(MessageQueue, AMessageMayBeginWithAnother) {
  char* next = nullptr;
  char* end = nullptr;
  MessageQueue queue({next, end});
  queue.adopt(message_memory(64), 64);
  queue.share_front();
  queue.pop(16);
  ASSERT_FALSE(queue.is_empty());
  EXPECT_EQ(queue.release_front(), nullptr);
  queue.pop(48);
  EXPECT_TRUE(queue.is_empty());
  queue.adopt(message_memory(64), 64);
  EXPECT_NE(queue.release_front(), nullptr);
  queue.pop(64);
  EXPECT_TRUE(queue.is_empty());
}

} // namespace

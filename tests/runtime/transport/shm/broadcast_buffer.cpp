// SPDX-License-Identifier: BSD-3-Clause

// What ranks publish to several others: slots come free when all have read, and never before; messages find
// their way where a broadcast buffer has no room.

#include "transport/shm/broadcast_buffer.hpp"

#include "random_bytes.hpp"
#include "shared_group.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <thread>

namespace thalweg::transport {
namespace {

struct alignas(cache_line) BufferMemory {
  std::byte bytes[4096] = {};
};

TEST(BroadcastBuffer, GivesASlotAgainWhenAllHaveRead) {
  BufferMemory memory;
  BroadcastBuffer buffer(memory.bytes, sizeof memory);
  const auto data = bytes_of(buffer.max_bytes(), 1);
  const auto offset = buffer.publish(data.data(), data.size());
  ASSERT_TRUE(offset);
  EXPECT_FALSE(buffer.publish(data.data(), 1));
  BroadcastBuffer::leave(memory.bytes, *offset);
  EXPECT_FALSE(buffer.publish(data.data(), 1)) << "others may still get to know of it";
  buffer.close(*offset, 2);
  EXPECT_FALSE(buffer.publish(data.data(), 1)) << "one has not read it";
  EXPECT_EQ(std::memcmp(BroadcastBuffer::read(memory.bytes, *offset), data.data(), data.size()), 0);
  BroadcastBuffer::leave(memory.bytes, *offset);
  EXPECT_TRUE(buffer.publish(data.data(), 1));
}

TEST(BroadcastBuffer, HoldsLongDataByEitherKindOfStores) {
  std::vector<BufferMemory> memory(64);
  for (const Stores stores : {Stores::cached, Stores::streaming, Stores::fastest}) {
    BroadcastBuffer buffer(memory.front().bytes, memory.size() * sizeof(BufferMemory), stores);
    for (std::uint32_t turn = 0; turn < 200; ++turn) {
      const auto data = bytes_of(15'000 + 97 * turn, turn);
      const auto offset = buffer.publish(data.data() + turn % 3, data.size() - turn % 3);
      ASSERT_TRUE(offset);
      buffer.close(*offset, 1);
      ASSERT_EQ(std::memcmp(BroadcastBuffer::read(memory.front().bytes, *offset), data.data() + turn % 3,
                            data.size() - turn % 3),
                0);
      BroadcastBuffer::leave(memory.front().bytes, *offset);
    }
  }
}

TEST(BroadcastBuffer, NeverGivesWhatSomebodyStillReads) {
  BufferMemory memory;
  BroadcastBuffer buffer(memory.bytes, sizeof memory);
  std::mt19937 random(7);
  struct Held {
    std::vector<std::byte> data;
    std::uint32_t left;
  };
  std::map<std::uint64_t, Held> held;
  int refused = 0;
  for (std::uint32_t turn = 0; turn < 20000; ++turn) {
    const auto data = bytes_of(1 + random() % 1500, turn);
    if (const auto offset = buffer.publish(data.data(), data.size())) {
      ASSERT_EQ(*offset % cache_line, 0U);
      ASSERT_FALSE(held.contains(*offset));
      const std::uint32_t readers = random() % 4;
      buffer.close(*offset, readers);
      if (readers > 0)
        held[*offset] = {data, readers};
    } else {
      ASSERT_FALSE(held.empty()) << "nobody reads anything";
      ++refused;
    }
    for (const auto& [offset, what] : held)
      ASSERT_EQ(std::memcmp(BroadcastBuffer::read(memory.bytes, offset), what.data.data(), what.data.size()),
                0);
    if (!held.empty() && random() % 3 > 0) {
      const auto some = std::next(held.begin(), static_cast<std::ptrdiff_t>(random() % held.size()));
      BroadcastBuffer::leave(memory.bytes, some->first);
      if (--some->second.left == 0)
        held.erase(some);
    }
  }
  EXPECT_GT(refused, 100);
}

// Each rank publishes every other one of its vectors to all others, and sends the rest to each for itself.
class Multicasts : public testing::TestWithParam<std::size_t> {};

TEST_P(Multicasts, ReachEverybodyUnharmed) {
  constexpr Rank ranks = 5;
  const std::size_t bytes = GetParam();
  const SharedGroup group(ranks);
  std::vector<std::thread> threads;
  for (Rank rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&group, rank, bytes] {
      const auto batch = group.transport(rank)->make_batch();
      for (std::int32_t turn = 0; turn < (bytes > 100'000 ? 8 : 60); ++turn) {
        auto out = bytes_of(bytes, static_cast<std::uint32_t>(turn * ranks + rank));
        std::vector<std::vector<std::byte>> in(ranks, std::vector<std::byte>(bytes));
        std::vector<Message> sends;
        std::vector<Message> receives;
        for (Rank peer = 0; peer < ranks; ++peer) {
          sends.push_back({peer, turn, out.data(), bytes});
          if (turn % 2 == 0)
            sends.back().multicast = {1, ranks};
          receives.push_back({peer, turn, in[static_cast<std::size_t>(peer)].data(), bytes});
        }
        batch->transfer(receives, sends);
        std::ranges::fill(out, std::byte{}); // what was published is nobody's any more
        for (Rank peer = 0; peer < ranks; ++peer)
          ASSERT_TRUE(are_bytes_of(in[static_cast<std::size_t>(peer)],
                                   static_cast<std::uint32_t>(turn * ranks + peer)));
      }
    });
  for (std::thread& thread : threads)
    thread.join();
}

INSTANTIATE_TEST_SUITE_P(Sizes, Multicasts, testing::Values(1, 4096, 5000, 100'000, 600'000, 2'000'000));

/// Publishes `data` to all ranks but the first; the messages' ids are the ranks.
void start_multicast(Batch& batch, std::vector<std::byte>& data, Rank ranks, std::int32_t tag) {
  batch.reserve(static_cast<std::size_t>(ranks));
  for (Rank peer = 1; peer < ranks; ++peer) {
    Message message{peer, tag, data.data(), data.size()};
    message.multicast = {1, static_cast<std::uint32_t>(ranks - 1)};
    batch.start_send(static_cast<std::uint32_t>(peer), message);
  }
}

TEST(Multicast, GoesOnWhereOneReaderIsLate) {
  constexpr Rank ranks = 3;
  const SharedGroup group(ranks);
  auto data = bytes_of(400'000, 3);
  std::vector<std::unique_ptr<Batch>> sending;
  const auto prompt = group.transport(1)->make_batch();
  prompt->reserve(1);
  // Rank 2 reads nothing until rank 1 has everything, which is much more than the broadcast buffer and the
  // channel hold.
  constexpr std::int32_t turns = 20;
  for (std::int32_t turn = 0; turn < turns; ++turn) {
    sending.push_back(group.transport(0)->make_batch());
    start_multicast(*sending.back(), data, ranks, turn);
    std::vector<std::byte> got(data.size());
    prompt->start_receive(0, {0, turn, got.data(), got.size()});
    for (int looks = 0; !prompt->all_finished(); ++looks) {
      ASSERT_LT(looks, 100'000'000) << "turn " << turn;
      sending.back()->poll();
    }
    ASSERT_EQ(got, data);
  }
  const auto late = group.transport(2)->make_batch();
  late->reserve(1);
  for (std::int32_t turn = 0; turn < turns; ++turn) {
    std::vector<std::byte> got(data.size());
    late->start_receive(0, {0, turn, got.data(), got.size()});
    while (!late->all_finished())
      sending.back()->poll();
    ASSERT_EQ(got, data);
  }
}

TEST(Multicast, LeavesRoomWhenItsBatchIsGivenUp) {
  const SharedGroup group(3);
  auto data = bytes_of(600'000, 4); // two have no room in the broadcast buffer
  auto message = Message{0, 0, nullptr, data.size()};
  for (std::int32_t turn = 0; turn < 3; ++turn) {
    auto batch = group.transport(0)->make_batch();
    batch->reserve(2);
    Message known{1, turn, data.data(), data.size()};
    known.multicast = {1, 2};
    batch->start_send(0, known);
    batch.reset(); // before the other knew of it
    std::vector<std::byte> got(data.size());
    message.tag = turn;
    message.data = got.data();
    group.transport(1)->make_batch()->transfer({&message, 1}, {});
    ASSERT_EQ(got, data);
  }
}

struct Subtractor final : Combiner {
  void combine(std::byte* arrived, const std::byte* own, std::byte* target, std::size_t bytes,
               bool spent) override {
    for (std::size_t i = 0; i < bytes; ++i)
      target[i] = static_cast<std::byte>(static_cast<int>(own[i]) - static_cast<int>(arrived[i]));
    if (spent)
      std::memset(arrived, 0xee, bytes);
  }
};

TEST(Multicast, IsNotSpentByOneThatCombines) {
  constexpr Rank ranks = 4;
  const SharedGroup group(ranks);
  auto data = bytes_of(50'000, 5);
  const auto sender = group.transport(0)->make_batch();
  start_multicast(*sender, data, ranks, 0);
  EXPECT_TRUE(sender->all_finished());
  for (Rank rank = 1; rank < ranks; ++rank) {
    Subtractor subtractor;
    auto target = data;
    const Message receive{0, 0, target.data(), target.size(), &subtractor};
    group.transport(rank)->make_batch()->transfer({&receive, 1}, {});
    ASSERT_EQ(target, std::vector<std::byte>(data.size()));
  }
}

} // namespace
} // namespace thalweg::transport

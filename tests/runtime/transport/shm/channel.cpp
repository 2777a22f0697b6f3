// SPDX-License-Identifier: BSD-3-Clause

// A channel between two threads: what goes in comes out, whatever the sizes and however full it is.

#include "transport/shm/channel.hpp"

#include <gtest/gtest.h>
#include <random>
#include <thread>
#include <vector>

namespace thalweg::transport {
namespace {

constexpr std::size_t ring_bytes = 4096;
constexpr ChannelShape shallow{ring_bytes, 5};
constexpr ChannelShape deep{ring_bytes, ChannelShape::max_slot_bits};

class Memory {
public:
  explicit Memory(const ChannelShape& shape)
      : slots_(shape.slots() * stride), ring_(shape.ring_bytes / sizeof(Line)) {
    channel.slots = slots_.data() + 1;
    channel.stride = stride;
    channel.credit = &credit_;
    channel.ring = ring_.front().bytes;
    channel.shape = shape;
  }
  ChannelMemory channel;

private:
  static constexpr std::size_t stride = 3; // other channels' slots lie in between
  struct alignas(cache_line) Line {
    std::byte bytes[cache_line];
  };
  std::vector<Slot> slots_;
  Credit credit_{};
  std::vector<Line> ring_;
};

struct Sent {
  std::int32_t tag;
  std::size_t granule;
  std::vector<std::byte> data;
};

std::vector<Sent> random_messages(std::uint32_t seed, std::size_t count, std::size_t limit) {
  std::mt19937_64 random(seed);
  std::vector<Sent> messages(count);
  for (Sent& message : messages) {
    message.tag = static_cast<std::int32_t>(random() % 1000);
    message.granule = std::size_t{1} + random() % 24;
    const std::size_t elements = random() % (limit / message.granule);
    message.data.resize(random() % 3 == 0 ? elements * message.granule : random() % 3 * message.granule);
    for (std::byte& byte : message.data)
      byte = static_cast<std::byte>(random());
  }
  return messages;
}

void send_all(Sender& sender, const std::vector<Sent>& messages) {
  for (const Sent& message : messages) {
    std::size_t done = 0;
    while (done < std::max<std::size_t>(message.data.size(), 1)) {
      const std::size_t before = done;
      done = sender.offer(message.tag, message.data.data(), message.data.size(), done, message.granule);
      if (done == before)
        std::this_thread::yield();
    }
  }
}

/// Takes one message; every chunk must be whole granules.
std::vector<std::byte> take_message(Receiver& receiver, const Sent& expected) {
  std::vector<std::byte> data;
  for (;;) {
    const Slot* slot = receiver.look();
    if (slot == nullptr) {
      std::this_thread::yield();
      continue;
    }
    EXPECT_EQ(slot->tag, expected.tag);
    EXPECT_EQ(slot->chunk_bytes() % expected.granule, 0U);
    const std::size_t total = slot->message_bytes();
    const std::byte* const chunk = receiver.chunk(*slot);
    data.insert(data.end(), chunk, chunk + slot->chunk_bytes());
    receiver.consume(*slot);
    if (data.size() >= total)
      return data;
  }
}

TEST(Channel, BringsWhatWasSentInOrder) {
  for (std::uint32_t seed = 1; seed <= 8; ++seed) {
    const Memory memory(seed <= 4 ? shallow : deep);
    const std::vector<Sent> messages = random_messages(seed, 2000, seed % 2 == 0 ? 40'000 : 300);
    std::thread sending([&] {
      Sender sender(memory.channel);
      send_all(sender, messages);
    });
    Receiver receiver(memory.channel);
    for (std::size_t number = 0; number < messages.size(); ++number)
      ASSERT_EQ(take_message(receiver, messages[number]), messages[number].data) << number;
    sending.join();
    EXPECT_EQ(receiver.look(), nullptr);
  }
}

/// Messages of chunks that streaming stores may write, and others between them; buffers begin anywhere in a
/// line.
TEST(Channel, BringsLongChunksByEitherKindOfStores) {
  constexpr std::size_t ring = std::size_t{256} << 10;
  for (const Stores stores : {Stores::cached, Stores::streaming, Stores::fastest}) {
    const Memory memory({ring, 5});
    std::vector<Sent> messages = random_messages(7, 60, 400'000);
    for (std::size_t number = 0; number < messages.size(); number += 2)
      messages[number].data.resize(messages[number].granule *
                                   (16'000 / messages[number].granule + number * 50));
    std::thread sending([&] {
      Sender sender(memory.channel, false, stores);
      for (const Sent& message : messages) {
        Sent moved{message.tag, message.granule, std::vector<std::byte>(message.data.size() + 1)};
        std::copy(message.data.begin(), message.data.end(), moved.data.begin() + 1);
        for (std::size_t done = 0; done < std::max<std::size_t>(message.data.size(), 1);) {
          const std::size_t before = done;
          done = sender.offer(message.tag, moved.data.data() + 1, message.data.size(), done, message.granule);
          if (done == before)
            std::this_thread::yield();
        }
      }
    });
    Receiver receiver(memory.channel);
    for (std::size_t number = 0; number < messages.size(); ++number)
      ASSERT_EQ(take_message(receiver, messages[number]), messages[number].data) << number;
    sending.join();
  }
}

/// Both ends know how far they are apart after some messages, and bring the same, whatever that changes.
TEST(Channel, NoticesInPassingHowFarItsEndsAreApart) {
  const Memory memory({std::size_t{256} << 10, 5});
  const std::vector<Sent> messages = random_messages(11, 3000, 6000);
  LineDistance of_sender;
  std::thread sending([&] {
    Sender sender(memory.channel, false, Stores::fastest, &of_sender);
    send_all(sender, messages);
  });
  LineDistance of_receiver;
  Receiver receiver(memory.channel, &of_receiver);
  for (std::size_t number = 0; number < messages.size(); ++number)
    ASSERT_EQ(take_message(receiver, messages[number]), messages[number].data) << number;
  sending.join();
  EXPECT_EQ(of_receiver.ticks() > 0, has_streaming_stores());
  EXPECT_EQ(of_sender.ticks() > 0, has_streaming_stores());
}

/// As if the other end were far: chunks of all sizes go past the caches.
TEST(Channel, BringsTheSameToAnEndThatIsFar) {
  const Memory memory({std::size_t{256} << 10, 5});
  const std::vector<Sent> messages = random_messages(12, 1000, 40'000);
  LineDistance distance;
  for (int line = 0; line < 3; ++line)
    distance.took(10 * LineDistance::far_ticks);
  ASSERT_TRUE(distance.is_far());
  std::thread sending([&] {
    Sender sender(memory.channel, false, Stores::fastest, &distance);
    send_all(sender, messages);
  });
  Receiver receiver(memory.channel);
  for (std::size_t number = 0; number < messages.size(); ++number)
    ASSERT_EQ(take_message(receiver, messages[number]), messages[number].data) << number;
  sending.join();
}

TEST(Channel, BringsLongMessagesInEighthsButNotInManyParts) {
  constexpr std::size_t kib = 1024;
  const Memory memory({512 * kib, 5});
  Sender sender(memory.channel);
  Receiver receiver(memory.channel);
  const auto first_chunk = [&](std::size_t bytes, std::size_t granule) {
    const std::vector<std::byte> data(bytes);
    const std::size_t done = sender.offer(1, data.data(), bytes, 0, granule);
    EXPECT_EQ(sender.is_one_chunk(bytes, granule), receiver.look()->is_whole()) << bytes;
    const std::size_t chunk = receiver.look()->chunk_bytes();
    for (std::size_t taken = 0; taken < done;) {
      const Slot* slot = receiver.look();
      taken += slot->chunk_bytes();
      receiver.consume(*slot);
    }
    return chunk;
  };
  EXPECT_EQ(first_chunk(32 * kib, 1), 32 * kib);
  EXPECT_EQ(first_chunk(48 * kib, 1), 32 * kib);
  EXPECT_EQ(first_chunk(320 * kib, 1), 40 * kib);
  EXPECT_EQ(first_chunk(320 * kib, 48 * kib), 48 * kib);
  EXPECT_EQ(first_chunk(320 * kib, 3 * kib), 39 * kib);
  EXPECT_EQ(first_chunk(400 * kib, 1), 50 * kib);
  EXPECT_EQ(first_chunk(4096 * kib, 1), 64 * kib);
}

class ChannelOfShape : public testing::TestWithParam<ChannelShape> {};
INSTANTIATE_TEST_SUITE_P(Channel, ChannelOfShape, testing::Values(shallow, deep));

TEST_P(ChannelOfShape, TakesNoMoreThanFitsAndGoesOnWhenThereIsRoom) {
  const ChannelShape shape = GetParam();
  const Memory memory(shape);
  Sender sender(memory.channel);
  Receiver receiver(memory.channel);
  const std::byte word[8] = {};
  for (std::size_t slot = 0; slot < shape.slots(); ++slot)
    EXPECT_EQ(sender.offer(1, word, sizeof word, 0, 1), sizeof word);
  EXPECT_EQ(sender.offer(1, word, sizeof word, 0, 1), 0U);
  while (!receiver.consume(*receiver.look())) {
  }
  EXPECT_EQ(sender.offer(1, word, sizeof word, 0, 1), sizeof word);
  while (const Slot* slot = receiver.look())
    receiver.consume(*slot);
  const std::vector<std::byte> large(3 * ring_bytes);
  const std::size_t done = sender.offer(2, large.data(), large.size(), 0, 1);
  EXPECT_GT(done, 0U);
  EXPECT_LE(done, ring_bytes);
  EXPECT_EQ(sender.offer(2, large.data(), large.size(), done, 1), done);
}

// Whatever went before, however much of it the sender was told of: what is read gives its room back.
TEST(Channel, TakesAMessageWhereverAllBeforeWereRead) {
  std::mt19937_64 random(1);
  for (const std::size_t ring :
       {std::size_t{4} << 10, std::size_t{16} << 10, std::size_t{128} << 10, std::size_t{1} << 20}) {
    const Memory memory({ring, 7});
    Sender sender(memory.channel);
    Receiver receiver(memory.channel);
    std::vector<std::byte> data(ring / 8);
    for (int round = 0; round < 2000; ++round) {
      const std::size_t bytes = random() % std::max<std::size_t>(data.size() >> random() % 12, 2) + 1;
      std::fill_n(data.begin(), bytes, static_cast<std::byte>(round));
      for (std::size_t again = random() % 20; again > 0; --again) {
        const std::size_t done = sender.offer(1, data.data(), bytes, 0, 1);
        ASSERT_GT(done, 0U) << ring << " " << round << " " << bytes;
        for (std::size_t taken = 0; taken < done;) {
          const Slot* slot = receiver.look();
          ASSERT_NE(slot, nullptr);
          ASSERT_EQ(std::count(receiver.chunk(*slot), receiver.chunk(*slot) + slot->chunk_bytes(),
                               static_cast<std::byte>(round)),
                    static_cast<std::ptrdiff_t>(slot->chunk_bytes()));
          taken += slot->chunk_bytes();
          receiver.consume(*slot);
        }
      }
    }
  }
}

// Where ranks share cores, a broadcast's root goes on as long as there is room, wherever it stands in the
// ring.
TEST(Channel, RunsAheadWhereverItStandsInTheRing) {
  std::mt19937_64 random(1);
  constexpr std::size_t ring = std::size_t{128} << 10;
  constexpr std::size_t max_given_back_late = ring / 8;
  for (const std::size_t bytes : {100, 1000, 2000, 4000, 8000}) {
    const Memory memory({ring, 7});
    Sender sender(memory.channel, true);
    Receiver receiver(memory.channel);
    const std::vector<std::byte> data(bytes);
    const auto read = [&](std::size_t count) {
      for (; count > 0; --count)
        receiver.consume(*receiver.look());
    };
    for (int round = 0; round < 1000; ++round) {
      std::size_t unread = 0;
      for (std::size_t count = random() % 64; count > 0; --count) {
        unread += sender.offer(1, data.data(), bytes, 0, 1) == bytes ? 1 : 0;
        const std::size_t now = unread == 0 ? 0 : random() % (unread + 1);
        read(now);
        unread -= now;
      }
      while (sender.offer(1, data.data(), bytes, 0, 1) == bytes)
        ++unread;
      EXPECT_GE(unread, std::min(memory.channel.shape.slots() * 3 / 4,
                                 (ring - max_given_back_late) / (bytes + cache_line) - 1))
          << bytes << " " << round;
      read(unread);
    }
  }
}

TEST(Channel, SendsMessagesOfNothing) {
  const Memory memory(shallow);
  Sender sender(memory.channel);
  Receiver receiver(memory.channel);
  EXPECT_EQ(sender.offer(7, nullptr, 0, 0, 1), 1U);
  const Slot* slot = receiver.look();
  ASSERT_NE(slot, nullptr);
  EXPECT_EQ(slot->tag, 7);
  EXPECT_EQ(slot->message_bytes(), 0U);
}

} // namespace
} // namespace thalweg::transport

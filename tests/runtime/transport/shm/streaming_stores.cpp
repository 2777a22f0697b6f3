// SPDX-License-Identifier: BSD-3-Clause
#include "transport/shm/streaming_stores.hpp"

#include "transport/shm/segment.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace thalweg::transport {
namespace {

TEST(StreamingStores, CopyTheBytesAndNoOthers) {
  constexpr std::size_t room = 1024;
  std::vector<std::byte> from(room);
  for (std::size_t at = 0; at < room; ++at)
    from[at] = static_cast<std::byte>(at * 7 + 1);
  for (std::size_t to_offset = 0; to_offset < 2 * cache_line; to_offset += 3)
    for (std::size_t from_offset = 0; from_offset < cache_line; from_offset += 5)
      for (const std::size_t bytes : {0, 1, 7, 63, 64, 65, 127, 128, 130, 200, 511, 640}) {
        std::vector<std::byte> to(room, std::byte{0xEE});
        copy_streaming(to.data() + to_offset, from.data() + from_offset, bytes);
        for (std::size_t at = 0; at < room; ++at) {
          const bool is_inside = at >= to_offset && at < to_offset + bytes;
          ASSERT_EQ(to[at], is_inside ? from[at - to_offset + from_offset] : std::byte{0xEE})
              << bytes << " bytes from " << from_offset << " to " << to_offset << ", at " << at;
        }
      }
}

/// Ticks per line of writing and of reading, either way.
struct Distance {
  double cached_writing;
  double cached_reading;
  double streaming_writing;
  double streaming_reading;

  double cost(bool is_streaming) const {
    return is_streaming ? streaming_writing + streaming_reading : cached_writing + cached_reading;
  }
  double best() const { return std::min(cost(false), cost(true)); }
};

// At 2.3 GHz: neighbors, neighbors that are slower to write, cores that share no cache.
constexpr Distance near{7.5, 10, 17, 14};
constexpr Distance middle{22, 4.5, 5, 15};
constexpr Distance far{87, 12, 4.5, 15};

/// The cost of so many chunks, by what the best way would have cost.
double cost_of(StoreChoice& choice, const Distance& distance, int chunks, int interrupted_each = 0) {
  constexpr std::size_t bytes = std::size_t{48} << 10;
  double cost = 0;
  for (int chunk = 0; chunk < chunks; ++chunk) {
    const bool is_streaming = choice.is_streaming();
    cost += distance.cost(is_streaming);
    double ticks = is_streaming ? distance.streaming_writing : distance.cached_writing;
    if (interrupted_each != 0 && chunk % interrupted_each == 0)
      ticks += 1e4; // another process had the core
    if (choice.is_timed())
      choice.took(static_cast<std::uint64_t>(ticks * bytes / cache_line), bytes);
    else
      choice.chunk_written();
  }
  return cost / (chunks * distance.best());
}

TEST(StoreChoice, TakesTheFasterWayAtEveryDistance) {
  for (const Distance& distance : {near, middle, far}) {
    StoreChoice choice;
    EXPECT_LT(cost_of(choice, distance, 20'000), 1.02);
    EXPECT_EQ(choice.is_streaming(), distance.cost(true) < distance.cost(false));
  }
}

TEST(StoreChoice, FollowsCoresThatMove) {
  StoreChoice choice;
  for (int turn = 0; turn < 10; ++turn) {
    EXPECT_LT(cost_of(choice, near, 10'000), 1.05) << turn;
    EXPECT_LT(cost_of(choice, far, 10'000), 1.05) << turn;
  }
}

// Of short chunks, whose stores are timed to their end. There is a processor where they never win, however
// long a line takes from one core to another.
TEST(StoreChoice, ThatBeganPastTheCachesStaysThereOnlyWhereThatIsFaster) {
  constexpr Distance slow_loads{13.5, 21, 31, 17};
  for (const Distance& distance : {slow_loads, near, far}) {
    StoreChoice choice(Stores::fastest, true);
    EXPECT_TRUE(choice.is_streaming());
    EXPECT_LT(cost_of(choice, distance, 2000), 1.02);
    EXPECT_EQ(choice.is_streaming(), distance.cost(true) < distance.cost(false));
  }
  EXPECT_FALSE(StoreChoice(Stores::cached, true).is_streaming());
}

TEST(StoreChoice, IsNotMisledByInterruptions) {
  StoreChoice choice;
  EXPECT_LT(cost_of(choice, near, 20'000, 5), 1.05);
  EXPECT_LT(cost_of(choice, far, 20'000, 5), 1.05);
}

TEST(SharedWriter, WritesTheSameEitherWay) {
  const std::vector<std::byte> from(std::size_t{64} << 10, std::byte{0x5A});
  for (const Stores stores : {Stores::cached, Stores::streaming, Stores::fastest})
    for (const std::size_t bytes : {1, 511, 512, 1023, 1024, 4096, 16383, 16384, 32767, 32768, 65536})
      for (const bool is_far : {false, true, false}) {
        SharedWriter writer(stores);
        std::vector<std::byte> to(from.size() + 1, std::byte{0});
        writer.copy(to.data(), from.data(), bytes, is_far);
        EXPECT_TRUE(std::equal(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(bytes), to.begin()));
        EXPECT_EQ(to[bytes], std::byte{0});
      }
}

TEST(SharedWriter, KeepsLengthsApartAndWritesThemRightHoweverItChooses) {
  std::mt19937 random(11);
  std::vector<std::byte> from(std::size_t{40} << 10);
  std::vector<std::byte> to(from.size());
  SharedWriter writer;
  for (int chunk = 0; chunk < 3000; ++chunk) {
    const std::size_t bytes = 1 + random() % from.size();
    from[random() % bytes] = static_cast<std::byte>(random());
    writer.copy(to.data(), from.data(), bytes, random() % 4 != 0);
    ASSERT_TRUE(std::equal(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(bytes), to.begin()));
  }
}

TEST(StoreChoice, KeepsToWhatItIsTold) {
  for (const Stores stores : {Stores::cached, Stores::streaming}) {
    StoreChoice choice(stores);
    cost_of(choice, far, 5000);
    EXPECT_EQ(choice.is_streaming(), stores == Stores::streaming);
    EXPECT_FALSE(choice.is_timed());
  }
}

} // namespace
} // namespace thalweg::transport

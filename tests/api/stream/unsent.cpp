// SPDX-License-Identifier: BSD-3-Clause

// What is let go is handled while its sender does nothing more: once, in order, and from where it was
// written. How often short messages go to other nodes.

#include "fabric.hpp"
#include "stream/links.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>

namespace thalweg::streams {
namespace {

struct Numbered {
  std::uint32_t number;
};

/// Rank 0 sends some items at a time, and calls nothing before rank 1 has handled them all.
void check_that_items_leave(World world, int rounds, std::uint32_t items_in_round) {
  world.ranks = 2;
  world.shapes = {{2}};
  Memories memories(world);
  Wires wires(1);
  std::atomic<std::uint32_t> handled{0};
  on_all_ranks(2, [&](Rank rank) {
    const auto count = [&](const Numbered& item) {
      EXPECT_EQ(item.number, handled.load()) << "out of order, or twice";
      ++handled;
    };
    TestStream<Numbered, InlinedSink<Numbered, decltype(count)>> stream(world, rank, 0, memories, wires,
                                                                        std::make_shared<StreamSet>(), count);
    thalweg_stream_view& view = *stream.stream().view();
    const std::uint32_t all = static_cast<std::uint32_t>(rounds) * items_in_round;
    for (std::uint32_t number = 0; rank == 0 && number < all; ++number) {
      detail::put(view, 1, Numbered{number});
      detail::let_go(view, 1);
      while ((number + 1) % items_in_round == 0 && handled.load() <= number)
        std::this_thread::yield();
    }
    while (rank == 1 && handled.load() < all)
      if (!stream.stream().progress())
        std::this_thread::yield();
    stream.finish();
    EXPECT_EQ(handled.load(), all);
  });
}

TEST(Unsent, ItemsAreTakenOutOfABufferThatIsFilled) {
  World world;
  world.per_node = 2;
  check_that_items_leave(world, 50, 1);
}

TEST(Unsent, AlsoWhereItFillsAndAnotherOneFollows) {
  World world;
  world.per_node = 2;
  check_that_items_leave(world, 20, 100);
}

TEST(Unsent, MessagesToOtherNodesLeaveToo) {
  World world;
  world.per_node = 1;
  world.extra_slots = 64; // the wire keeps some for a while
  check_that_items_leave(world, 20, 1);
}

TEST(Unsent, NothingOfItIsHandledTwiceWhenThePhaseEnds) {
  World world;
  world.per_node = 2;
  for (int phase = 0; phase < 20; ++phase)
    check_that_items_leave(world, 1, 7);
}

TEST(Pace, SavesForAWhileAndTakesAPartOfTheTime) {
  Pace pace(10, 10'000);
  std::uint64_t now = 1'000'000;
  int at_once = 0;
  for (; pace.may(now) && at_once < 1000; ++at_once)
    pace.took(100);
  EXPECT_EQ(at_once, 10); // 10,000 ns were saved, and each counts for 1,000
  int later = 0;
  for (int step = 0; step < 10'000; ++step, now += 10)
    if (pace.may(now)) {
      pace.took(100);
      ++later;
    }
  EXPECT_NEAR(later, 100, 2); // a tenth of 100,000 ns
  now += 1'000'000'000;
  for (at_once = 0; pace.may(now) && at_once < 1000; ++at_once)
    pace.took(100);
  EXPECT_EQ(at_once, 10); // no more than was to be saved
}

} // namespace
} // namespace thalweg::streams

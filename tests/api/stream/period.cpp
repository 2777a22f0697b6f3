// SPDX-License-Identifier: BSD-3-Clause

// What waits in a buffer leaves it in time, also where a rank only sends, and fills no buffer.

#include "fabric.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <thread>

namespace thalweg::streams {
namespace {

TEST(Period, FirstItemsOfLinksLookAfterOldOnes) {
  constexpr std::int32_t ranks = 6;
  World world;
  world.ranks = world.per_node = ranks;
  world.shapes = {{ranks}};
  world.options.period_ns = 100'000;
  Memories memories(world);
  Wires wires(1);
  struct Item {
    std::uint32_t number;
  };
  on_all_ranks(ranks, [&](Rank rank) {
    const auto ignore = [](const Item&) {};
    TestStream<Item, InlinedSink<Item, decltype(ignore)>> stream(world, rank, 0, memories, wires,
                                                                 std::make_shared<StreamSet>(), ignore);
    for (Rank to = 1; rank == 0 && to < ranks; ++to) {
      stream.send(to, {1});
      std::this_thread::sleep_for(std::chrono::nanoseconds(2 * world.options.period_ns));
    }
    const std::uint64_t sent = stream.stream().statistics().slots[static_cast<std::size_t>(Reason::waited)];
    EXPECT_EQ(sent > 0, rank == 0);
    stream.finish();
  });
}

} // namespace
} // namespace thalweg::streams

// SPDX-License-Identifier: BSD-3-Clause

// Random programs on odd meshes, with tiny buffers and slow handlers, of threads on nodes that are none.

#include "fabric.hpp"
#include "random_program.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <gtest/gtest.h>

namespace thalweg::streams {
namespace {

using random_program::Item;
using random_program::Program;

Shape random_shape(std::mt19937& random, std::int32_t ranks) {
  Shape shape;
  std::int32_t left = ranks;
  while (left > 1 && random() % 3 != 0) {
    const auto side = static_cast<std::int32_t>(2 + random() % static_cast<unsigned>(left - 1));
    if (side >= left)
      break;
    shape.push_back(side);
    left = (left + side - 1) / side;
  }
  shape.push_back(left);
  return shape;
}

struct Case {
  World world;
  random_program::Plan plan;
  bool is_slow = false;
  bool is_plain = false; // as in C
};

Case random_case(unsigned seed) {
  std::mt19937 random(seed);
  Case one;
  World& world = one.world;
  world.ranks = static_cast<std::int32_t>(1 + random() % 9);
  world.per_node = static_cast<std::int32_t>(1 + random() % static_cast<unsigned>(world.ranks));
  do
    world.shapes.push_back(random_shape(random, world.ranks));
  while (world.shapes.size() < 3 && random() % 3 != 0);
  world.slot_bytes = 64U << (random() % 4);
  world.extra_slots = 1 + random() % 3;
  world.options.period_ns = random() % 2 != 0 ? 1000 : 1'000'000;
  one.plan = random_program::random_plan(random);
  one.plan.max_items /= 3;
  world.streams = one.plan.streams;
  world.rings = random() % 2 == 0;
  one.is_slow = random() % 4 == 0;
  one.is_plain = random() % 2 == 0;
  return one;
}

std::string describe(const Case& one) {
  std::string shapes;
  for (const Shape& shape : one.world.shapes)
    shapes += to_text(shape) + ", ";
  return std::to_string(one.world.ranks) + " ranks, " + std::to_string(one.world.per_node) + " a node, " +
         shapes + "slots of " + std::to_string(one.world.slot_bytes) + " B, " +
         std::to_string(one.plan.max_items) + " items, " + std::to_string(one.plan.max_hops) + " hops" +
         (one.is_plain ? ", plain" : "");
}

template <typename StreamType>
random_program::Stream actions(StreamType& stream) {
  return {[&](int rank, const Item& item) { stream.send(rank, item); },
          [&] { stream.stream().flush(); },
          [&] { stream.stream().progress(); },
          [&] { stream.finish(); },
          [&] { stream.stream().start_finish(); },
          [&] {
            std::this_thread::yield();
            return stream.stream().test_finish();
          }};
}

// One rank; what is left is added up over all.
template <template <typename, typename> typename Sink>
void run_rank(const Case& one, Rank rank, unsigned seed, Memories& memories, std::vector<Wires>& wires,
              std::atomic<std::int64_t>& left) {
  Program program(one.plan, rank, one.world.ranks, seed);
  const auto set = std::make_shared<StreamSet>();
  const auto handler = [&](int stream) {
    return [&, stream](const Item& item) {
      program.handle(stream, item);
      if (one.is_slow && item.number % 64 == 5)
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    };
  };
  using Stream = TestStream<Item, Sink<Item, decltype(handler(0))>>;
  std::vector<std::unique_ptr<Stream>> streams;
  std::vector<random_program::Stream> used;
  for (int stream = 0; stream < one.plan.streams; ++stream) {
    streams.push_back(std::make_unique<Stream>(
        one.world, rank, stream, memories, wires[static_cast<std::size_t>(stream)], set, handler(stream)));
    used.push_back(actions(*streams.back()));
  }
  program.use(std::move(used));
  program.run();
  if (!program.failure().empty())
    throw std::runtime_error("rank " + std::to_string(rank) + ": " + program.failure());
  left += program.sent_but_not_handled();
}

TEST(ItemStream, RandomProgramsDeliverEveryItemOnceAndEnd) {
  const char* const wanted = std::getenv("THALWEG_TEST_PROGRAMS");
  const unsigned programs = wanted == nullptr ? 300 : static_cast<unsigned>(std::atoi(wanted));
  for (unsigned seed = 1; seed <= programs && !testing::Test::HasFailure(); ++seed) {
    const Case one = random_case(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + describe(one));
    Memories memories(one.world);
    std::vector<Wires> wires(2);
    for (Wires& of_stream : wires)
      of_stream = Wires(one.world.shapes.size());
    std::atomic<std::int64_t> left = 0;
    const auto run = one.is_plain ? run_rank<PlainSink> : run_rank<InlinedSink>;
    EXPECT_NO_THROW(
        on_all_ranks(one.world.ranks, [&](Rank rank) { run(one, rank, seed, memories, wires, left); }));
    EXPECT_EQ(left, 0) << "items were lost, or came twice";
  }
}

} // namespace
} // namespace thalweg::streams

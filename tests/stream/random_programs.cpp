// Random programs of sends, sending handlers, several streams, odd meshes, tiny buffers and slow handlers:
// every item is handled exactly once, in the order of its sender, and all phases end.

#include "fabric.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <random>

namespace thalweg::streams {
namespace {

struct Item {
  std::int32_t source;
  std::int32_t destination;
  std::int32_t number; // of those from source to destination, or -1 of a chain
  std::int32_t hops;   // how often handlers send it on
  std::int32_t phase;
};

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

struct Plan {
  World world;
  int phases = 1;
  int items = 0;    // a rank and phase
  int max_hops = 0; // of an item
  bool is_slow = false;
};

Plan random_plan(unsigned seed) {
  std::mt19937 random(seed);
  Plan plan;
  World& world = plan.world;
  world.ranks = static_cast<std::int32_t>(1 + random() % 9);
  world.per_node = static_cast<std::int32_t>(1 + random() % static_cast<unsigned>(world.ranks));
  world.shape = random_shape(random, world.ranks);
  world.slot_bytes = 64U << (random() % 4);
  world.extra_slots = 1 + random() % 3;
  world.streams = static_cast<int>(1 + random() % 2);
  world.options.period_ns = random() % 2 != 0 ? 1000 : 1'000'000;
  plan.phases = static_cast<int>(1 + random() % 4);
  plan.items = static_cast<int>(random() % 4 == 0 ? 0 : random() % 300);
  plan.max_hops = static_cast<int>(random() % 3 == 0 ? random() % 5 : 0);
  plan.is_slow = random() % 4 == 0;
  return plan;
}

std::string to_text(const Plan& plan) {
  return std::to_string(plan.world.ranks) + " ranks, " + std::to_string(plan.world.per_node) + " a node, " +
         streams::to_text(plan.world.shape) + ", " + std::to_string(plan.world.slot_bytes) + " B slots, " +
         std::to_string(plan.items) + " items, " + std::to_string(plan.max_hops) + " hops";
}

void run(const Plan& plan, unsigned seed) {
  const World& world = plan.world;
  Wire wires[2];
  Memories memories(world);
  // Handled items of a phase, in all: those that were sent, and each hop once more.
  std::vector<std::atomic<std::int64_t>> sent(static_cast<std::size_t>(plan.phases));
  std::vector<std::atomic<std::int64_t>> handled(static_cast<std::size_t>(plan.phases));
  std::atomic<int> wrong{0};
  on_all_ranks(world.ranks, [&](Rank rank) {
    std::mt19937 random(seed * 31 + static_cast<unsigned>(rank));
    const auto set = std::make_shared<StreamSet>();
    int phase = 0;
    std::vector<std::int32_t> seen(static_cast<std::size_t>(world.ranks * world.streams), 0);
    std::function<void(int, Rank, const Item&)> send;
    std::vector<int> phases(static_cast<std::size_t>(world.streams), 0); // of each stream
    const auto handle = [&](int stream, const Item& item) {
      wrong += item.destination != rank || item.phase != phases[static_cast<std::size_t>(stream)];
      handled[static_cast<std::size_t>(item.phase)] += 1;
      if (item.number >= 0)
        wrong += item.number != seen[static_cast<std::size_t>(stream * world.ranks + item.source)]++;
      if (plan.is_slow && item.number % 64 == 5)
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      if (item.hops > 0) {
        const auto next = static_cast<Rank>(random() % static_cast<unsigned>(world.ranks));
        // From a stream's handler to itself, or to a later one, which ends later.
        const int through = stream + 1 < world.streams && random() % 2 != 0 ? stream + 1 : stream;
        sent[static_cast<std::size_t>(item.phase)] += 1;
        send(through, next, {rank, next, -1, item.hops - 1, item.phase});
      }
    };
    const auto handler = [&](int stream) { return [&, stream](const Item& item) { handle(stream, item); }; };
    using Stream = TestStream<Item, decltype(handler(0))>;
    std::vector<std::unique_ptr<Stream>> streams;
    for (int stream = 0; stream < world.streams; ++stream)
      streams.push_back(std::make_unique<Stream>(world, rank, memories.of(stream, rank / world.per_node),
                                                 memories.layout(), wires[stream], set, handler(stream)));
    send = [&](int stream, Rank to, const Item& item) {
      streams[static_cast<std::size_t>(stream)]->send(to, item);
    };
    std::vector<std::int32_t> numbers(seen.size(), 0);
    for (; phase < plan.phases; ++phase) {
      const auto count = plan.items == 0 ? 0 : static_cast<int>(random() % static_cast<unsigned>(plan.items));
      for (int item = 0; item < count; ++item) {
        const auto stream = static_cast<int>(random() % static_cast<unsigned>(world.streams));
        const auto to = static_cast<Rank>(random() % static_cast<unsigned>(world.ranks));
        const auto hops = plan.max_hops == 0
                              ? 0
                              : static_cast<std::int32_t>(random() % static_cast<unsigned>(plan.max_hops));
        sent[static_cast<std::size_t>(phase)] += 1;
        send(stream, to,
             {rank, to, numbers[static_cast<std::size_t>(stream * world.ranks + to)]++, hops, phase});
        if (random() % 100 == 0)
          streams[static_cast<std::size_t>(stream)]->stream().flush();
        if (random() % 100 == 0)
          streams[static_cast<std::size_t>(stream)]->stream().progress();
      }
      for (std::size_t stream = 0; stream < streams.size(); ++stream) {
        if (random() % 2 == 0) {
          streams[stream]->finish();
        } else {
          streams[stream]->stream().start_finish();
          while (!streams[stream]->stream().test_finish())
            std::this_thread::yield();
        }
        ++phases[stream];
      }
    }
    // What is in flight between two processes may not outlive their memory; here all wait for all.
    for (const auto& stream : streams)
      stream->finish();
  });
  EXPECT_EQ(wrong, 0);
  for (int phase = 0; phase < plan.phases; ++phase)
    EXPECT_EQ(sent[static_cast<std::size_t>(phase)], handled[static_cast<std::size_t>(phase)]) << phase;
}

TEST(ItemStream, RandomProgramsDeliverEveryItemOnceAndEnd) {
  const char* const wanted = std::getenv("THALWEG_TEST_PROGRAMS");
  const unsigned programs = wanted == nullptr ? 300 : static_cast<unsigned>(std::atoi(wanted));
  for (unsigned seed = 1; seed <= programs; ++seed) {
    const Plan plan = random_plan(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + to_text(plan));
    run(plan, seed);
    if (testing::Test::HasFailure())
      return;
  }
}

} // namespace
} // namespace thalweg::streams

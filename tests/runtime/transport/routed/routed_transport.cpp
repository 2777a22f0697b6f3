// SPDX-License-Identifier: BSD-3-Clause

// Two transports as one: every pair of ranks talks whichever way joins it.

#include "transport/routed/routed_transport.hpp"

#include "transport/aggregation/aggregating_transport.hpp"
#include "transport/doubles/loopback.hpp"

#include <gtest/gtest.h>
#include <thread>

namespace thalweg::transport {
namespace {

/// Ranks 0..n-1 in nodes of `node` ranks, which have a loopback of their own.
std::vector<std::unique_ptr<Transport>> make_nodes(Rank ranks, Rank node) {
  auto far = make_loopback(ranks, Protocol::eager);
  std::vector<std::unique_ptr<Transport>> result;
  for (Rank begin = 0; begin < ranks; begin += node) {
    const Rank end = std::min(ranks, begin + node);
    auto near = make_loopback(end - begin, Protocol::rendezvous);
    std::vector<Rank> near_ranks(static_cast<std::size_t>(ranks), -1);
    for (Rank rank = begin; rank < end; ++rank)
      near_ranks[static_cast<std::size_t>(rank)] = rank - begin;
    wait::Policy waiting;
    waiting.polls = 5;
    for (Rank rank = begin; rank < end; ++rank)
      result.push_back(make_routed(std::move(near[static_cast<std::size_t>(rank - begin)]),
                                   std::move(far[static_cast<std::size_t>(rank)]), near_ranks, waiting));
  }
  return result;
}

class Routed : public testing::TestWithParam<bool> {};

TEST_P(Routed, EveryPairTalks) {
  const bool one_by_one = GetParam();
  constexpr Rank ranks = 7;
  const auto transports = make_nodes(ranks, 3);
  std::vector<std::thread> threads;
  for (Rank rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      const auto& transport = transports[static_cast<std::size_t>(rank)];
      EXPECT_EQ(transport->rank(), rank);
      EXPECT_EQ(transport->ranks(), ranks);
      const auto batch = transport->make_batch();
      std::vector<int> out(ranks);
      std::vector<int> in(ranks, -1);
      std::vector<Message> sends;
      std::vector<Message> receives;
      for (Rank peer = 0; peer < ranks; ++peer) {
        const auto place = static_cast<std::size_t>(peer);
        out[place] = rank * 100 + peer;
        sends.push_back({peer, 3, reinterpret_cast<std::byte*>(&out[place]), sizeof(int)});
        receives.push_back({peer, 3, reinterpret_cast<std::byte*>(&in[place]), sizeof(int)});
      }
      if (one_by_one) {
        batch->reserve(2 * ranks);
        for (std::uint32_t id = 0; id < ranks; ++id)
          batch->start_receive(id, receives[id]);
        for (std::uint32_t id = 0; id < ranks; ++id)
          batch->start_send(ranks + id, sends[id]);
        std::size_t left = 2 * ranks;
        while (left > 0)
          left -= batch->wait().size();
        EXPECT_TRUE(batch->all_finished());
      } else {
        batch->transfer(receives, sends);
      }
      for (Rank peer = 0; peer < ranks; ++peer)
        EXPECT_EQ(in[static_cast<std::size_t>(peer)], peer * 100 + rank);
    });
  for (std::thread& thread : threads)
    thread.join();
}

// Each way's batch must know when it has seen its last message of a multicast, also if it has none; loopback
// throws where it does not.
TEST(Multicasts, AreCompleteOnBothWays) {
  constexpr Rank ranks = 7;
  const auto transports = make_nodes(ranks, 3);
  std::vector<std::thread> threads;
  for (Rank rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      const auto batch = transports[static_cast<std::size_t>(rank)]->make_batch();
      for (int turn = 0; turn < 3; ++turn) {
        int out = turn * 100 + rank;
        std::vector<int> in(ranks, -1);
        std::vector<Message> sends;
        std::vector<Message> receives;
        const Rank last = turn == 0 ? 2 : ranks; // at first to one node alone
        for (Rank peer = 0; peer < last; ++peer)
          sends.push_back({peer, turn, reinterpret_cast<std::byte*>(&out), sizeof out});
        for (Message& send : sends)
          send.multicast = {1, static_cast<std::uint32_t>(sends.size())};
        for (Rank peer = 0; rank < last && peer < ranks; ++peer)
          receives.push_back(
              {peer, turn, reinterpret_cast<std::byte*>(&in[static_cast<std::size_t>(peer)]), sizeof(int)});
        ASSERT_NO_THROW(batch->transfer(receives, sends));
        for (Rank peer = 0; rank < last && peer < ranks; ++peer)
          EXPECT_EQ(in[static_cast<std::size_t>(peer)], turn * 100 + peer);
      }
    });
  for (std::thread& thread : threads)
    thread.join();
}

/// Two ranks of a node and a third one elsewhere, whose first rank waits: what the others do meanwhile.
struct Others {
  std::unique_ptr<Batch> neighbor;
  std::unique_ptr<Batch> distant;
  int arrived = 0;
  int visits = 0;
  bool has_come = false;
  bool has_answered = false;

  /// The neighbor answers once the distant rank has got its message; or after many visits in vain, so that
  /// nobody waits for ever.
  static wait::Visit visit(void* context) {
    constexpr int patience = 1000;
    auto& self = *static_cast<Others*>(context);
    self.has_come = self.has_come || !self.distant->poll().empty();
    if (!self.has_answered && (self.has_come || ++self.visits == patience)) {
      self.neighbor->start_send(0, {0, 5, reinterpret_cast<std::byte*>(&self.arrived), sizeof(int)});
      self.has_answered = true;
    }
    return wait::Visit::pending;
  }
};

TEST(Waits, ForOneWaySendWhatWasPutTogetherForTheOther) {
  auto near = make_loopback(2, Protocol::eager);
  auto far = make_loopback(3, Protocol::eager);
  wait::Policy waiting;
  waiting.polls = 5;
  AggregatingTransport distant(std::move(far[2]), waiting);
  Others others{.neighbor = near[1]->make_batch(), .distant = distant.make_batch()};
  others.neighbor->reserve(1);
  others.distant->reserve(1);
  others.distant->start_receive(0, {0, 4, reinterpret_cast<std::byte*>(&others.arrived), sizeof(int)});

  wait::Policy visiting = waiting;
  visiting.progress_others = Others::visit;
  visiting.context = &others;
  const auto routed =
      make_routed(std::move(near[0]), std::make_unique<AggregatingTransport>(std::move(far[0]), waiting),
                  {0, 1, -1}, visiting);
  const auto batch = routed->make_batch();
  batch->reserve(2);
  int sent = 42;
  int received = 0;
  batch->start_receive(0, {1, 5, reinterpret_cast<std::byte*>(&received), sizeof(int)});
  batch->start_send(1, {2, 4, reinterpret_cast<std::byte*>(&sent), sizeof(int)});
  std::size_t left = 2;
  while (left > 0)
    left -= batch->wait().size();
  EXPECT_TRUE(others.has_come);
  EXPECT_EQ(received, 42);
}

INSTANTIATE_TEST_SUITE_P(Ways, Routed, testing::Bool());

} // namespace
} // namespace thalweg::transport

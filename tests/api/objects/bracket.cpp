// SPDX-License-Identifier: BSD-3-Clause

// Brackets of all strategies between ranks of one process: every message comes once, where it is for,
// whatever the order in which combined ones come, and each strategy sends as many as its mesh has neighbors.

#include "objects/bracket.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <random>

namespace {

using thalweg::Rank;
using namespace thalweg::objects;

constexpr std::size_t bytes_each = 16;
constexpr Rank anybody = -1;

/// Ranks whose messages come in any order.
struct World {
  struct Message {
    Rank to;
    std::vector<char> bytes;
  };
  struct Content {
    Rank from;
    Rank to;
    std::uint64_t value;
  };
  static_assert(sizeof(Content) == bytes_each);

  World(BracketStrategy combining, std::int32_t ranks, std::vector<std::size_t> of,
        std::size_t bytes_max = SIZE_MAX)
      : elements(std::move(of)), longest(bytes_max) {
    for (Rank rank = 0; rank < ranks; ++rank)
      brackets.push_back(std::make_unique<Bracket>(
          combining, ranks, rank,
          Bracket::Ports{[this](Rank to, std::span<const std::span<const char>> pieces) {
                           Message made{to, {}};
                           for (const auto& piece : pieces)
                             made.bytes.insert(made.bytes.end(), piece.begin(), piece.end());
                           sent.push_back(std::move(made));
                           ++messages;
                         },
                         [this, rank] { return elements[static_cast<std::size_t>(rank)]; },
                         [this, rank](std::span<const char> prefix, std::span<const char> common) {
                           Rank named = -1;
                           std::memcpy(&named, prefix.data(), sizeof named);
                           EXPECT_EQ(named, rank);
                           arrive(rank, common);
                         },
                         bytes_max}));
  }
  void deposit(Rank from, std::uint32_t element, Rank to, std::uint64_t value) {
    char* const at = brackets[static_cast<std::size_t>(from)]->deposit(element, to, call_bytes);
    const Content one{from, to, value};
    if (at != nullptr)
      std::memcpy(at, &one, sizeof one);
  }
  void multicast(Rank from, std::uint32_t element, std::span<const Rank> to, std::uint64_t value) {
    std::vector<std::vector<char>> prefixes;
    std::vector<MulticastPart> parts;
    for (const Rank rank : to) {
      std::memcpy(prefixes.emplace_back(bytes_each).data(), &rank, sizeof rank);
      parts.push_back({rank, prefixes.back()});
    }
    char* const at = brackets[static_cast<std::size_t>(from)]->deposit(element, parts, call_bytes);
    const Content one{from, anybody, value};
    if (at != nullptr)
      std::memcpy(at, &one, sizeof one);
    else
      for (const Rank rank : to)
        deposit(from, element, rank, value);
  }
  void arrive(Rank rank, std::span<const char> message) {
    Content content;
    ASSERT_EQ(message.size(), call_bytes);
    std::memcpy(&content, message.data(), sizeof content);
    EXPECT_TRUE(content.to == rank || content.to == anybody);
    sum += content.value;
    ++delivered;
  }
  void run(std::mt19937_64& random) {
    while (!sent.empty()) {
      std::swap(sent[random() % sent.size()], sent.back());
      const Message one = std::move(sent.back());
      sent.pop_back();
      const std::size_t size = one.bytes.size();
      EXPECT_LE(size, longest);
      const std::size_t own = brackets[static_cast<std::size_t>(one.to)]->take(one.bytes.data(), size);
      bytes_sent += size;
      for (std::size_t at = size - own; at < size; at += call_bytes)
        arrive(one.to, {one.bytes.data() + at, call_bytes});
    }
  }
  std::uint64_t held() const {
    std::uint64_t bytes = 0;
    for (const auto& one : brackets)
      bytes += one->held();
    return bytes;
  }

  std::vector<std::size_t> elements;
  std::size_t longest;
  std::vector<std::unique_ptr<Bracket>> brackets;
  std::vector<Message> sent;
  std::size_t messages = 0;
  std::size_t bytes_sent = 0;
  std::size_t call_bytes = bytes_each;
  std::uint64_t sum = 0;
  std::size_t delivered = 0;
};

constexpr std::size_t one_multicast = 512; // to 19 ranks, with its heads

/// With as many bytes in a message, at most.
void all_come_once(std::size_t bytes_max) {
  std::mt19937_64 random(1);
  for (const BracketStrategy combining :
       {BracketStrategy::direct, BracketStrategy::mesh, BracketStrategy::grid, BracketStrategy::hypercube})
    for (std::int32_t ranks = 1; ranks <= 20; ++ranks) {
      std::vector<std::size_t> elements;
      for (Rank rank = 0; rank < ranks; ++rank)
        elements.push_back(random() % 3); // some ranks have none
      World world(combining, ranks, elements, bytes_max);
      std::uint64_t sum = 0;
      std::size_t count = 0;
      for (int iteration = 0; iteration < 3; ++iteration)
        for (Rank rank = 0; rank < ranks; ++rank)
          for (std::uint32_t element = 0; element < elements[static_cast<std::size_t>(rank)]; ++element) {
            for (std::uint64_t calls = random() % 5; calls > 0 && ranks > 1; --calls) {
              const std::uint64_t value = random() % 1000;
              const auto away = static_cast<Rank>(1 + random() % static_cast<std::uint64_t>(ranks - 1));
              world.deposit(rank, element, (rank + away) % ranks, value);
              sum += value;
              ++count;
            }
            std::vector<Rank> some;
            for (Rank to = 0; to < ranks; ++to)
              if (to != rank && bytes_max >= one_multicast && random() % 3 == 0)
                some.push_back(to);
            if (some.size() > 1) {
              world.multicast(rank, element, some, 7);
              sum += 7 * some.size();
              count += some.size();
            }
            world.brackets[static_cast<std::size_t>(rank)]->end(element);
            if (random() % 4 == 0)
              world.run(random);
          }
      world.run(random);
      EXPECT_EQ(world.delivered, count) << to_text(combining) << " of " << ranks;
      EXPECT_EQ(world.sum, sum);
      EXPECT_EQ(world.held(), 0U);
    }
}

TEST(Bracket, MessagesOfAllIterationsComeOnceInAnyOrder) {
  all_come_once(SIZE_MAX);
}

TEST(Bracket, WhatIsTooLongGoesInPieces) {
  all_come_once(48); // one call in each, with its heads
  all_come_once(100);
  all_come_once(one_multicast);
}

TEST(Bracket, AStrategySendsToItsNeighborsInTheMesh) {
  const auto messages = [](BracketStrategy combining, std::int32_t ranks) {
    std::mt19937_64 random(2);
    World world(combining, ranks, std::vector<std::size_t>(static_cast<std::size_t>(ranks), 1));
    for (Rank from = 0; from < ranks; ++from)
      for (Rank to = 0; to < ranks; ++to)
        if (from != to)
          world.deposit(from, 0, to, 1);
    for (auto& one : world.brackets)
      one->end(0);
    world.run(random);
    EXPECT_EQ(world.delivered, static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks - 1));
    EXPECT_EQ(world.held(), 0U);
    return world.messages;
  };
  EXPECT_EQ(messages(BracketStrategy::direct, 16), 16U * 15U);
  EXPECT_EQ(messages(BracketStrategy::mesh, 16), 16U * 6U);
  EXPECT_EQ(messages(BracketStrategy::grid, 27), 27U * 6U);
  EXPECT_EQ(messages(BracketStrategy::hypercube, 16), 16U * 4U);
}

TEST(Bracket, AMulticastTravelsOnceWhereItsWaysAreOne) {
  const auto bytes_by_payload = [](bool is_multicast) {
    std::mt19937_64 random(4);
    World world(BracketStrategy::mesh, 16, std::vector<std::size_t>(16, 1));
    world.call_bytes = 1600;
    for (Rank from = 0; from < 16; ++from) {
      std::vector<Rank> others;
      for (Rank to = 0; to < 16; ++to)
        if (to != from)
          others.push_back(to);
      if (is_multicast)
        world.multicast(from, 0, others, 1);
      else
        for (const Rank to : others)
          world.deposit(from, 0, to, 1);
      world.brackets[static_cast<std::size_t>(from)]->end(0);
    }
    world.run(random);
    EXPECT_EQ(world.delivered, 16U * 15U);
    EXPECT_EQ(world.held(), 0U);
    return static_cast<double>(world.bytes_sent) / (16.0 * 15 * 1600);
  };
  EXPECT_GE(bytes_by_payload(false), 24.0 / 15); // of 15 ranks 9 are two ways off
  EXPECT_LE(bytes_by_payload(true), 1.06);
}

TEST(Bracket, ItCountsWhatGoesFromRankToRank) {
  for (const BracketStrategy combining : {BracketStrategy::direct, BracketStrategy::mesh,
                                          BracketStrategy::hypercube, BracketStrategy::stream}) {
    std::mt19937_64 random(5);
    World world(combining, 9, std::vector<std::size_t>(9, 2));
    for (int iteration = 0; iteration < 3; ++iteration) {
      for (Rank from = 1; from < 9; ++from)
        for (std::uint32_t element = 0; element < 2; ++element) {
          world.deposit(from, element, 0, 1);
          world.deposit(from, element, from % 8 + 1, 1);
        }
      for (auto& one : world.brackets)
        for (std::uint32_t element = 0; element < 2; ++element)
          one->end(element);
      world.run(random);
    }
    const RankPeriod sender = world.brackets[3]->take_period();
    EXPECT_EQ(sender.iterations, 3);
    EXPECT_EQ(sender.messages, 3 * 2) << to_text(combining);
    EXPECT_EQ(sender.bytes, 3 * 4 * bytes_each);
    const RankPeriod receiver = world.brackets[0]->take_period();
    EXPECT_EQ(receiver.received_messages, combining == BracketStrategy::stream ? 0 : 3 * 8)
        << to_text(combining);
    EXPECT_EQ(receiver.messages, 0);
    EXPECT_EQ(world.brackets[3]->take_period().messages, 0);
  }
}

TEST(Bracket, WhatGoesDirectlyDoesNotWaitForMoreThanAMessageHolds) {
  std::mt19937_64 random(7);
  World world(BracketStrategy::direct, 2, {1, 1}, 100);
  for (std::uint64_t call = 0; call < 50; ++call)
    world.deposit(0, 0, 1, call);
  EXPECT_GT(world.messages, 10U);
  for (const World::Message& one : world.sent)
    EXPECT_LE(one.bytes.size(), 100U);
  world.brackets[0]->end(0);
  world.run(random);
  EXPECT_EQ(world.delivered, 50U);
  EXPECT_EQ(world.sum, 49U * 50 / 2);
  EXPECT_EQ(world.brackets[0]->take_period().messages, 1);
  EXPECT_EQ(world.brackets[1]->take_period().received_messages, 1);
}

TEST(Bracket, AnotherStrategyBeginsWithAnEpoch) {
  std::mt19937_64 random(6);
  World world(BracketStrategy::direct, 12, std::vector<std::size_t>(12, 1));
  std::uint32_t epoch = 0;
  for (const BracketStrategy combining : {BracketStrategy::mesh, BracketStrategy::stream,
                                          BracketStrategy::hypercube, BracketStrategy::direct}) {
    ++epoch;
    for (auto& one : world.brackets) {
      one->begin_epoch(epoch, true);
      one->use(combining);
    }
    world.delivered = 0;
    for (int iteration = 0; iteration < 2; ++iteration)
      for (Rank from = 0; from < 12; ++from) {
        world.deposit(from, 0, (from + 5) % 12, 1);
        world.brackets[static_cast<std::size_t>(from)]->end(0);
      }
    world.run(random);
    EXPECT_EQ(world.delivered, combining == BracketStrategy::stream ? 0U : 24U) << to_text(combining);
    EXPECT_EQ(world.held(), 0U);
  }
}

TEST(Bracket, WhatOthersWaitForInVainIsSentStraight) {
  for (const BracketStrategy combining :
       {BracketStrategy::direct, BracketStrategy::mesh, BracketStrategy::hypercube}) {
    std::mt19937_64 random(3);
    World world(combining, 9, std::vector<std::size_t>(9, 2));
    for (Rank from = 0; from < 9; ++from) {
      world.deposit(from, 0, (from + 4) % 9, 1);
      world.multicast(from, 0, std::vector<Rank>{(from + 1) % 9, (from + 4) % 9, (from + 5) % 9}, 1);
      world.brackets[static_cast<std::size_t>(from)]->end(0);
      if (from != 3)
        world.brackets[static_cast<std::size_t>(from)]->end(1); // one element of rank 3 never ends
    }
    world.run(random);
    EXPECT_LT(world.delivered, 4 * 9U);
    EXPECT_GT(world.held(), 0U);
    world.brackets[0]->begin_epoch(1, true); // others hear of the new epoch by its messages, or later
    world.run(random);
    for (auto& one : world.brackets)
      one->begin_epoch(1, true);
    world.run(random);
    EXPECT_EQ(world.delivered, 4 * 9U);
    EXPECT_EQ(world.held(), 0U);
  }
}

} // namespace

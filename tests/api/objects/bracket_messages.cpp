// SPDX-License-Identifier: BSD-3-Clause

// Combined messages of one rank: what they hold, who gets them, and how long they are.

#include "objects/bracket_messages.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <vector>

namespace {

using thalweg::Rank;
using namespace thalweg::objects;

struct SentMessage {
  Rank to = 0;
  CombinedHead head;
  std::vector<GroupHead> groups;
  std::size_t bytes = 0;
};

/// Rank 0 of four, and what it has sent.
struct Sender {
  explicit Sender(BracketStrategy combining, std::size_t bytes_max = SIZE_MAX)
      : routes(combining, 4, 0), iterations(4),
        messages(4, 0, bytes_max, [this](Rank to, std::span<const std::span<const char>> pieces) {
          SentMessage& one = sent.emplace_back();
          one.to = to;
          std::memcpy(&one.head, pieces[0].data(), sizeof one.head);
          one.bytes = pieces[0].size();
          for (const auto& piece : pieces.subspan(1)) {
            std::memcpy(&one.groups.emplace_back(), piece.data(), sizeof(GroupHead));
            one.bytes += piece.size();
          }
        }) {
    iterations.use(routes.phases(), true);
  }
  void keep(Rank to, std::size_t bytes) {
    KeptGroups& groups = iterations.of(0).groups;
    std::memset(groups.with_room(to, bytes, messages.group_bytes_max()).add(bytes, 1), 0, bytes);
  }

  BracketRoutes routes;
  BracketIterations iterations;
  std::vector<SentMessage> sent;
  BracketMessages messages;
};

TEST(BracketMessages, DirectOnesGoOnlyWhereSomethingIs) {
  Sender rank(BracketStrategy::direct);
  rank.keep(2, 32);
  rank.messages.begin_epoch(5);
  rank.messages.send_phase(rank.iterations.of(0), rank.routes);
  ASSERT_EQ(rank.sent.size(), 1U);
  EXPECT_EQ(rank.sent[0].to, 2);
  EXPECT_EQ(rank.sent[0].head.epoch, 5U);
  EXPECT_EQ(rank.sent[0].head.messages, 1U);
  ASSERT_EQ(rank.sent[0].groups.size(), 1U);
  EXPECT_EQ(rank.sent[0].groups[0].destination, 2);
  EXPECT_EQ(rank.sent[0].groups[0].bytes, 32U);
}

TEST(BracketMessages, APhaseThatIsAwaitedSendsEmptyOnesToo) {
  Sender rank(BracketStrategy::mesh);
  rank.messages.send_phase(rank.iterations.of(0), rank.routes);
  ASSERT_EQ(rank.sent.size(), rank.routes.receivers(0).size());
  EXPECT_TRUE(rank.sent[0].groups.empty());
  EXPECT_EQ(rank.sent[0].head.messages, 1U);
}

TEST(BracketMessages, TheReceiversOwnGoesLast) {
  Sender rank(BracketStrategy::mesh);
  const Rank next = rank.routes.receivers(0)[0];
  Rank beyond = 1;
  while (beyond == next || rank.routes.hop(beyond, 0) != next)
    ++beyond;
  rank.keep(next, 16);
  rank.keep(beyond, 16);
  rank.messages.send_phase(rank.iterations.of(0), rank.routes);
  ASSERT_EQ(rank.sent.size(), 1U);
  ASSERT_EQ(rank.sent[0].groups.size(), 2U);
  EXPECT_EQ(rank.sent[0].groups[0].destination, beyond);
  EXPECT_EQ(rank.sent[0].groups[1].destination, next);
}

TEST(BracketMessages, TheLastOfSeveralSaysHowMany) {
  Sender rank(BracketStrategy::mesh, 64);
  const Rank next = rank.routes.receivers(0)[0];
  for (int call = 0; call < 3; ++call)
    rank.keep(next, 32);
  rank.messages.send_phase(rank.iterations.of(0), rank.routes);
  ASSERT_EQ(rank.sent.size(), 3U);
  for (const SentMessage& one : rank.sent)
    EXPECT_LE(one.bytes, 64U);
  EXPECT_EQ(rank.sent[0].head.messages, 0U);
  EXPECT_EQ(rank.sent[1].head.messages, 0U);
  EXPECT_EQ(rank.sent[2].head.messages, 3U);
}

TEST(BracketMessages, WhatGoesStraightIsOfNoPhase) {
  Sender rank(BracketStrategy::mesh);
  rank.keep(3, 16);
  rank.messages.send_straight(rank.iterations.of(0));
  ASSERT_EQ(rank.sent.size(), 1U);
  EXPECT_EQ(rank.sent[0].to, 3);
  EXPECT_EQ(rank.sent[0].head.phase, CombinedHead::no_phase);
}

} // namespace

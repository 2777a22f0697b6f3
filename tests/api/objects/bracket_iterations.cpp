// SPDX-License-Identifier: BSD-3-Clause

// Iterations of brackets: each element is in one, phases wait for their senders, and memory is used again.

#include "objects/bracket_iterations.hpp"

#include <cstring>
#include <gtest/gtest.h>

namespace {

using namespace thalweg::objects;

TEST(BracketIterations, ElementsAreInTheirOwn) {
  BracketIterations all(4);
  all.use(2, true);
  EXPECT_EQ(all.of_element(0).number, 0U);
  BracketIteration* const first = all.of_element(0).iteration;
  EXPECT_EQ(all.end(0), first);
  EXPECT_EQ(all.of_element(0).number, 1U) << "it has gone on";
  EXPECT_NE(all.of_element(0).iteration, first);
  EXPECT_EQ(all.of_element(1).number, 0U) << "the other one has not";
  EXPECT_EQ(all.of_element(1).iteration, first);
  EXPECT_EQ(first->ended_elements(), 1U);
  EXPECT_EQ(all.end(1), first);
  EXPECT_EQ(first->ended_elements(), 2U);
  all.restart();
  EXPECT_EQ(all.of_element(1).number, 0U);
}

TEST(BracketIterations, AreOnlyNumberedWhereNothingIsKept) {
  BracketIterations all(4);
  all.use(1, false);
  EXPECT_EQ(all.of_element(5).iteration, nullptr);
  EXPECT_EQ(all.end(5), nullptr);
  EXPECT_EQ(all.of_element(5).number, 1U);
  EXPECT_TRUE(all.are_closed());
}

TEST(BracketIterations, OpenWithTheFirstMessageOfOthers) {
  BracketIterations all(4);
  all.use(2, true);
  BracketIteration& later = all.of(7);
  EXPECT_EQ(&all.of(7), &later);
  EXPECT_NE(&all.of(6), &later);
  EXPECT_EQ(later.number(), 7U);
  all.close(later);
  ASSERT_NE(all.any(), nullptr);
  EXPECT_EQ(all.any()->number(), 6U);
  all.close(*all.any());
  EXPECT_TRUE(all.are_closed());
}

TEST(BracketIterations, WhatIsClosedIsForgotten) {
  BracketIterations all(4);
  all.use(2, true);
  BracketIteration& one = all.of(0);
  std::memset(one.groups.of(2).add(32, 1), 0, 32);
  EXPECT_GE(all.kept_bytes(), 32U);
  one.note_arrival(0, 1);
  one.has_sent_phase();
  all.close(one);
  EXPECT_EQ(all.kept_bytes(), 0U);
  BracketIteration& next = all.of(1);
  EXPECT_EQ(&next, &one) << "its memory is used again";
  EXPECT_EQ(next.phase(), 0U);
  EXPECT_EQ(next.ended_elements(), 0U);
  EXPECT_TRUE(next.groups.of(2).is_empty());
}

TEST(BracketIteration, APhaseWaitsForAllMessagesOfAllSenders) {
  const BracketRoutes routes(BracketStrategy::mesh, 4, 0); // 2 x 2: one rank sends in the first phase
  ASSERT_EQ(routes.phases(), 2U);
  ASSERT_EQ(routes.senders(0), 1U);
  BracketIterations all(4);
  all.use(routes.phases(), true);
  BracketIteration& one = all.of(0);
  EXPECT_TRUE(one.may_send(routes)) << "the first one waits for nobody";
  one.has_sent_phase();
  EXPECT_FALSE(one.may_send(routes));
  one.note_arrival(0, 3); // the last of three, which has come first
  EXPECT_FALSE(one.may_send(routes));
  one.note_arrival(0, 0);
  EXPECT_FALSE(one.may_send(routes));
  one.note_arrival(0, 0);
  EXPECT_TRUE(one.may_send(routes));
}

} // namespace

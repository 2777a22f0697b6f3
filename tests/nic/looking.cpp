// SPDX-License-Identifier: BSD-3-Clause
#include "nic/looking.hpp"

#include <gtest/gtest.h>

namespace thalweg::nic {
namespace {

constexpr std::uint32_t message_bytes = 3000; // three segments
constexpr std::uint64_t all_segments = 7;

// Two ranks here, two cards below, one above.
thalweg_nic_group inner_card(std::uint16_t segment_bytes) {
  thalweg_nic_group view{};
  view.locals = 2;
  view.contributors = 4;
  view.has_parent = 1;
  view.segment_bytes = segment_bytes;
  return view;
}

class LookingAtBroadcasts : public testing::Test {
protected:
  LookingAtBroadcasts() { thalweg_nic_begin(&relay_, 1); }

  thalweg_nic_message& begin(std::uint32_t epoch) {
    thalweg_nic_message& message = relay_.messages[epoch % THALWEG_NIC_WINDOW];
    message = {};
    message.epoch = epoch;
    return message;
  }
  thalweg_nic_message& begin_whole(std::uint32_t epoch) {
    thalweg_nic_message& message = begin(epoch);
    message.bytes = message_bytes;
    message.have = message.begun = all_segments;
    return message;
  }
  void take(std::uint32_t local, std::uint32_t epoch) {
    page_.taken[epoch % THALWEG_NIC_WINDOW][local] = epoch;
  }
  thalweg_nic_slot slot(std::uint32_t epoch) const {
    const thalweg_nic_slot found = as_gathered(relay_, view_, page_).slots[epoch % THALWEG_NIC_WINDOW];
    EXPECT_EQ(found.epoch, epoch);
    return found;
  }
  bool is_stuck(std::uint32_t epoch) const {
    return stuck_epochs(relay_, view_)[epoch % THALWEG_NIC_WINDOW] == epoch;
  }

  thalweg_nic_group view_ = inner_card(THALWEG_NIC_SEGMENT_BYTES);
  thalweg_nic_relay relay_{};
  thalweg_nic_page page_{};
};

TEST_F(LookingAtBroadcasts, WhoHasNotAskedAndHasNothingIsMissing) {
  thalweg_nic_message& message = begin(3);
  EXPECT_EQ(slot(3).arrived, 0U);
  message.asked = 0b0101;
  EXPECT_EQ(slot(3).arrived, 0b0101U);
  take(1, 3);
  EXPECT_EQ(slot(3).arrived, 0b0111U);
  take(1, 11); // of a later one
  EXPECT_EQ(slot(3).arrived, 0b0101U);
  message.acknowledged = 0b1000;
  EXPECT_EQ(slot(3).arrived, 0b1101U);
  message.acknowledged = 0b1011; // ranks do not acknowledge
  EXPECT_EQ(slot(3).arrived, 0b1101U);
}

TEST_F(LookingAtBroadcasts, OneEndsWhenAllHaveIt) {
  thalweg_nic_message& message = begin_whole(3);
  take(0, 3);
  take(1, 3);
  message.acknowledged = 0b0100;
  EXPECT_EQ(slot(3).finished, 0U);
  EXPECT_EQ(as_gathered(relay_, view_, page_).ended[3], std::uint32_t(3 - THALWEG_NIC_WINDOW));
  message.acknowledged = 0b1100;
  EXPECT_EQ(slot(3).finished, 1U);
  EXPECT_EQ(as_gathered(relay_, view_, page_).ended[3], 3U);
  message.have = 0b011;
  EXPECT_EQ(slot(3).finished, 0U);
}

// A group that was left is needed for as long as there is such a one.
TEST_F(LookingAtBroadcasts, ThoseThatSomeCardLacksAreStuckWhateverRanksDo) {
  EXPECT_EQ(stuck_epochs(relay_, view_), StuckEpochs{});
  thalweg_nic_message& message = begin(3);
  EXPECT_TRUE(is_stuck(3)); // asked for, but not here
  message = begin_whole(3);
  EXPECT_TRUE(is_stuck(3));
  message.acknowledged = 0b0100;
  EXPECT_TRUE(is_stuck(3));
  message.acknowledged = 0b1100;
  EXPECT_FALSE(is_stuck(3)) << "though no rank here has taken it";
  begin_whole(4);
  EXPECT_EQ(stuck_epochs(relay_, view_), (StuckEpochs{0, 0, 0, 0, 4, 0, 0, 0}));
}

TEST(LookingAtGathers, WhatAllHaveArrivedAtIsStuckUntilItHasEnded) {
  thalweg_nic_group view = inner_card(0);
  thalweg_nic_state state{};
  thalweg_nic_slot& slot = state.slots[3];
  slot.epoch = 3;
  slot.arrived = 0b0111;
  EXPECT_EQ(stuck_epochs(state, view), StuckEpochs{}) << "the one that is missing starts it again itself";
  slot.arrived = 0b1111;
  EXPECT_EQ(stuck_epochs(state, view), (StuckEpochs{0, 0, 0, 3, 0, 0, 0, 0}));
  slot.finished = 1;
  EXPECT_EQ(stuck_epochs(state, view), StuckEpochs{});
  slot.finished = 0;
  view.has_parent = 0;
  EXPECT_EQ(stuck_epochs(state, view), StuckEpochs{}) << "the root waits for no other card";
}

} // namespace
} // namespace thalweg::nic

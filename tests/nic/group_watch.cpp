// SPDX-License-Identifier: BSD-3-Clause
#include "nic/group_watch.hpp"

#include "nic/protocol.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace thalweg::nic {
namespace {

using Clock = GroupWatch::Clock;

Beat some_beat(std::mt19937& random) {
  Beat beat;
  beat.group = random();
  beat.key = std::uint64_t{random()} << 32 | random();
  beat.newest = random();
  beat.departure.kind = random() % 4;
  beat.departure.rank = static_cast<std::int32_t>(random());
  beat.departure.after = random();
  std::strcpy(beat.departure.host, "node-3.cluster");
  std::strcpy(beat.host, "node_17");
  for (std::size_t i = random() % (Beat::max_missing + 1); i > 0; --i)
    beat.missing.push_back({static_cast<std::int32_t>(random()), static_cast<std::uint32_t>(random()),
                            static_cast<std::uint32_t>(random())});
  return beat;
}

TEST(NicBeat, WhatIsWrittenIsReadAndFitsASmallMtu) {
  std::mt19937 random(1);
  for (int i = 0; i < 1000; ++i) {
    const Beat beat = some_beat(random);
    const std::vector<std::byte> datagram = write_beat(beat);
    EXPECT_LE(datagram.size(), 1280U - 28);
    const auto read = read_beat(datagram);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->group, beat.group);
    EXPECT_EQ(read->key, beat.key);
    EXPECT_EQ(read->newest, beat.newest);
    EXPECT_EQ(std::memcmp(&read->departure, &beat.departure, sizeof beat.departure), 0);
    EXPECT_STREQ(read->host, beat.host);
    EXPECT_EQ(read->missing, beat.missing);
  }
}

TEST(NicBeat, MutantsAreRefusedOrHarmless) {
  std::mt19937 random(2);
  for (int i = 0; i < 20'000; ++i) {
    std::vector<std::byte> datagram = write_beat(some_beat(random));
    for (std::uint32_t changes = random() % 4; changes > 0; --changes)
      datagram[random() % datagram.size()] = static_cast<std::byte>(random());
    if (random() % 4 == 0)
      datagram.resize(random() % (datagram.size() + 20));
    const auto read = read_beat(datagram);
    if (!read)
      continue;
    EXPECT_EQ(datagram.size(), write_beat(*read).size());
    for (const char letter : std::string_view(read->departure.host))
      EXPECT_TRUE(letter != '"' && letter != '\\' && letter > ' ');
  }
}

// A tree of hosts, each with some ranks, whose cards run the real protocol and whose agents talk.
struct Host {
  thalweg_nic_group view{};
  std::vector<std::int32_t> ranks{};
  thalweg_nic_state state{};
  std::size_t above = 0;
};

struct Tree {
  std::vector<Host> hosts;
  std::vector<GroupWatch> watches;
  Clock::time_point now{};

  explicit Tree(std::mt19937& random) {
    const std::size_t count = 1 + random() % 9;
    std::int32_t rank = 0;
    for (std::size_t i = 0; i < count; ++i) {
      Host host;
      host.view.key = 7;
      host.view.locals = static_cast<std::uint16_t>(1 + random() % 3);
      for (std::uint16_t local = 0; local < host.view.locals; ++local)
        host.ranks.push_back(rank++);
      host.view.contributors = host.view.locals;
      if (i > 0) {
        host.above = random() % i;
        Host& above = hosts[host.above];
        host.view.has_parent = 1;
        host.view.own = above.view.contributors;
        host.view.parent.address = static_cast<std::uint32_t>(host.above + 1);
        above.view.below[above.view.contributors++].address = static_cast<std::uint32_t>(i + 1);
        above.ranks.push_back(host.ranks.front());
      }
      hosts.push_back(host);
    }
    for (std::size_t i = 0; i < count; ++i)
      watches.emplace_back(hosts[i].view, hosts[i].ranks, static_cast<std::uint32_t>(i + 1), "h");
  }

  void arrive(std::size_t host, std::uint32_t contributor, std::uint32_t epoch) {
    Host& here = hosts[host];
    thalweg_nic_content cell{}, content{};
    std::uint32_t actions =
        thalweg_nic_arrive(&here.view, &here.state, &cell, contributor, epoch, &content, 0);
    if (actions == THALWEG_NIC_COMBINE)
      actions = thalweg_nic_complete(&here.view, &here.state, epoch, &content);
    if ((actions & THALWEG_NIC_NOTIFY_PARENT) != 0)
      arrive(here.above, here.view.own, epoch);
    if ((actions & THALWEG_NIC_NOTIFY_CHILDREN) != 0)
      release_below(host, epoch);
  }

  void release_below(std::size_t host, std::uint32_t epoch) {
    for (std::size_t below = 1; below < hosts.size(); ++below)
      if (hosts[below].above == host) {
        thalweg_nic_content content{};
        thalweg_nic_release(&hosts[below].view, &hosts[below].state, epoch, &content);
        release_below(below, epoch);
      }
  }

  // As many rounds as the tree is deep at most.
  void talk() {
    for (std::size_t round = 0; round <= hosts.size(); ++round)
      for (std::size_t i = 0; i < hosts.size(); ++i) {
        watches[i].look(hosts[i].state, now);
        for (const std::uint32_t to : watches[i].neighbors())
          watches[to - 1].hear(static_cast<std::uint32_t>(i + 1), watches[i].beat_for(to, now), now);
      }
  }
};

TEST(NicGroupWatch, EveryHostKnowsWhoIsMissingAnywhere) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 200; ++trial) {
    Tree tree(random);
    const std::uint32_t epochs = 1 + random() % 20;
    std::vector<std::int32_t> late;
    bool has_come = false;
    for (std::uint32_t epoch = 1; epoch <= epochs; ++epoch)
      for (std::size_t i = 0; i < tree.hosts.size(); ++i)
        for (std::uint32_t local = 0; local < tree.hosts[i].view.locals; ++local)
          if (epoch < epochs || random() % 3 != 0) {
            tree.arrive(i, local, epoch);
            has_come |= epoch == epochs;
          } else {
            late.push_back(tree.hosts[i].ranks[local]);
          }
    tree.talk();
    for (const GroupWatch& watch : tree.watches) {
      std::vector<std::int32_t> missing;
      for (const Missing& one : watch.missing(tree.now))
        missing.push_back(one.rank);
      std::ranges::sort(missing);
      EXPECT_EQ(missing, has_come ? late : std::vector<std::int32_t>{});
    }
  }
}

TEST(NicGroupWatch, WhoIsGoneIsKnownEverywhereAndTheEarliestCounts) {
  std::mt19937 random(4);
  for (int trial = 0; trial < 200; ++trial) {
    Tree tree(random);
    tree.arrive(0, 0, 1);
    const std::size_t host = random() % tree.hosts.size();
    const std::size_t other = random() % tree.hosts.size();
    tree.watches[0].look(tree.hosts[0].state, tree.now);
    const std::uint32_t after = host == 0 ? 1 : 0;
    EXPECT_TRUE(tree.watches[host].leave(0));
    EXPECT_FALSE(tree.watches[host].leave(0));
    tree.talk();
    for (const GroupWatch& watch : tree.watches) {
      EXPECT_EQ(watch.departure().kind, THALWEG_NIC_PROCESS_ENDED);
      EXPECT_EQ(watch.departure().rank, tree.hosts[host].ranks[0]);
      EXPECT_EQ(watch.departure().after, after);
    }
    EXPECT_EQ(tree.watches[other].leave(0), after == 1 && other != 0);
  }
}

TEST(NicGroupWatch, RanksWithInboxesAreBesideAllOtherHosts) {
  thalweg_nic_group view{};
  view.locals = 2;
  view.contributors = 5;
  view.width = 16;
  const std::uint32_t hosts[] = {9, 7, 9, 7, 8}; // of the ranks
  for (std::size_t rank = 0; rank < 5; ++rank)
    view.below[rank].address = hosts[rank];
  const std::int32_t ranks[] = {0, 1, 2, 3, 4};
  GroupWatch watch(view, ranks, 7, "here");
  EXPECT_EQ(watch.neighbors(), (std::vector<std::uint32_t>{9, 8}));
  EXPECT_TRUE(watch.leave(3));
  EXPECT_EQ(watch.departure().rank, 3);
  EXPECT_TRUE(watch.missing(Clock::now()).empty());
  GroupWatch other(view, ranks, 8, "there");
  EXPECT_TRUE(other.hear(7, watch.beat_for(8, Clock::now()), Clock::now()));
  EXPECT_EQ(other.departure().rank, 3);
  GroupWatch lonely(view, ranks, 7, "here");
  EXPECT_TRUE(lonely.lose(8, THALWEG_NIC_HOST_SILENT));
  EXPECT_EQ(lonely.departure().rank, 4);
}

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

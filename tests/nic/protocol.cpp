// SPDX-License-Identifier: BSD-3-Clause
#include "nic/protocol.h"

#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <random>

namespace {

const thalweg_nic_content none{};

std::uint32_t arrive(const thalweg_nic_group& group, thalweg_nic_state& state, std::uint32_t contributor,
                     std::uint32_t epoch) {
  thalweg_nic_content content{};
  thalweg_nic_content cell{};
  const std::uint32_t actions = thalweg_nic_arrive(&group, &state, &cell, contributor, epoch, &content, 0);
  return actions == THALWEG_NIC_COMBINE ? thalweg_nic_complete(&group, &state, epoch, &content) : actions;
}

// One rank here, two cards below, one above.
thalweg_nic_group inner_card() {
  thalweg_nic_group group{};
  group.key = 0x0123456789abcdefU;
  group.id = 5;
  group.locals = 1;
  group.contributors = 3;
  group.has_parent = 1;
  group.own = 2;
  group.parent = {10, 7, 0};
  group.below[1] = {11, 7, 0};
  group.below[2] = {12, 7, 0};
  return group;
}

thalweg_nic_packet packet_of(const thalweg_nic_group& group, std::uint8_t kind, std::uint16_t contributor) {
  thalweg_nic_packet packet{};
  thalweg_nic_write(&packet, &group, kind, 1, &none);
  packet.contributor = static_cast<std::uint8_t>(contributor);
  return packet;
}

TEST(NicProtocol, PacketsHaveOneFormInAllPrograms) {
  thalweg_nic_packet packet{};
  const thalweg_nic_group group = inner_card();
  const thalweg_nic_content content{THALWEG_NIC_MAXIMUM, THALWEG_NIC_FEW, 0, 0, 0, {}};
  thalweg_nic_write(&packet, &group, THALWEG_NIC_UP, 0x01020304, &content);
  const unsigned char expected[] = {0x54, 0x57, 9,    2,    0, 0, 0, 5, 0x01, 0x23, 0x45, 0x67,
                                    0x89, 0xab, 0xcd, 0xef, 1, 2, 3, 4, 2,    0,    3,    8};
  ASSERT_EQ(sizeof packet, sizeof expected);
  EXPECT_EQ(std::memcmp(&packet, expected, sizeof packet), 0);
}

// The card below says that its first rank has waited for 30; another clock would say so too.
TEST(NicProtocol, ACardSaysWhoCameLastAndHowLongTheFirstOneHasWaited) {
  thalweg_nic_group group = inner_card();
  group.has_parent = 0;
  for (const std::uint64_t clock_us : {std::uint64_t{0}, std::uint64_t{5'000'000'000}}) {
    thalweg_nic_state state{};
    thalweg_nic_content cells[3]{};
    const auto arrives = [&](std::uint32_t contributor, thalweg_nic_content content, std::uint64_t at_us) {
      thalweg_nic_arrive(&group, &state, &cells[contributor], contributor, 1, &content, clock_us + at_us);
    };
    arrives(0, {0, 0, 0, 1, 0, {}}, 100);
    arrives(2, {0, 0, 0, 7, 30, {}}, 110);
    arrives(1, {0, 0, 0, 5, 4, {}}, 150);
    arrives(0, {0, 0, 0, 1, 0, {}}, 400); // again
    thalweg_nic_content result{};
    ASSERT_NE(thalweg_nic_complete(&group, &state, 1, &result) & THALWEG_NIC_PUBLISH, 0U);
    EXPECT_EQ(result.last, 5U);
    EXPECT_EQ(result.waited_us, 70U);
  }
}

TEST(NicProtocol, OnlyNeighborsWithTheKeyAreListenedTo) {
  const thalweg_nic_group group = inner_card();
  const thalweg_nic_packet up = packet_of(group, THALWEG_NIC_UP, 1);
  EXPECT_TRUE(thalweg_nic_admits(&group, &up, 11, 7));
  EXPECT_FALSE(thalweg_nic_admits(&group, &up, 12, 7)) << "a sibling";
  EXPECT_FALSE(thalweg_nic_admits(&group, &up, 11, 8)) << "another port";
  const thalweg_nic_packet as_rank = packet_of(group, THALWEG_NIC_UP, 0);
  EXPECT_FALSE(thalweg_nic_admits(&group, &as_rank, 0, 0)) << "a rank's number";
  const thalweg_nic_packet beyond = packet_of(group, THALWEG_NIC_UP, 3);
  EXPECT_FALSE(thalweg_nic_admits(&group, &beyond, 0, 0));
  const thalweg_nic_packet down = packet_of(group, THALWEG_NIC_DOWN, 0);
  EXPECT_TRUE(thalweg_nic_admits(&group, &down, 10, 7));
  EXPECT_FALSE(thalweg_nic_admits(&group, &down, 11, 7)) << "a child";
  const thalweg_nic_packet start = packet_of(group, THALWEG_NIC_START, 0);
  EXPECT_FALSE(thalweg_nic_admits(&group, &start, 10, 7)) << "starts do not come from outside";
  thalweg_nic_packet forged = up;
  forged.key ^= 1;
  EXPECT_FALSE(thalweg_nic_admits(&group, &forged, 11, 7));
}

TEST(NicProtocol, AReleaseCountsWhereAllHaveArrived) {
  const thalweg_nic_group group = inner_card();
  thalweg_nic_state state{};
  EXPECT_EQ(thalweg_nic_release(&group, &state, 1, &none), THALWEG_NIC_NOTHING);
  EXPECT_EQ(arrive(group, state, 0, 1), THALWEG_NIC_NOTHING);
  EXPECT_EQ(arrive(group, state, 1, 1), THALWEG_NIC_NOTHING);
  EXPECT_EQ(thalweg_nic_release(&group, &state, 1, &none), THALWEG_NIC_NOTHING) << "forged";
  EXPECT_EQ(arrive(group, state, 2, 1), THALWEG_NIC_NOTIFY_PARENT);
  EXPECT_EQ(thalweg_nic_release(&group, &state, 1, &none), THALWEG_NIC_NOTIFY_CHILDREN | THALWEG_NIC_PUBLISH);
  EXPECT_EQ(thalweg_nic_release(&group, &state, 1, &none), THALWEG_NIC_NOTHING) << "again";
  EXPECT_EQ(arrive(group, state, 1, 1), THALWEG_NIC_ANSWER);
  EXPECT_EQ(arrive(group, state, 0, 1), THALWEG_NIC_NOTHING) << "its page says so";
}

TEST(NicProtocol, ARankThatBreaksItsRuleLosesNobodysArrivals) {
  const thalweg_nic_group group = inner_card();
  thalweg_nic_state state{};
  arrive(group, state, 1, 1);
  for (std::uint32_t epoch = 2; epoch < 100; ++epoch)
    arrive(group, state, 0, epoch);
  EXPECT_EQ(state.slots[1].epoch, 1U);
  EXPECT_EQ(state.slots[1].arrived, 2U);
}

TEST(NicProtocol, AllContributorsCount) {
  thalweg_nic_group group{};
  for (std::uint16_t contributors = 1; contributors <= THALWEG_NIC_CONTRIBUTORS; ++contributors) {
    group.locals = group.contributors = contributors;
    thalweg_nic_state state{};
    for (std::uint32_t local = 0; local + 1 < contributors; ++local)
      ASSERT_EQ(arrive(group, state, local, 1), THALWEG_NIC_NOTHING);
    ASSERT_EQ(arrive(group, state, contributors - 1U, 1), THALWEG_NIC_NOTIFY_CHILDREN | THALWEG_NIC_PUBLISH);
  }
}

// Whatever arrives, nothing ends without all, and the state keeps to its form.
TEST(NicProtocol, AnyPacketsLeaveItInOrder) {
  std::mt19937_64 random(11);
  thalweg_nic_group group = inner_card();
  thalweg_nic_state state{};
  std::map<std::uint32_t, std::uint64_t> arrived;
  for (int step = 0; step < 200'000; ++step) {
    const auto epoch = static_cast<std::uint32_t>(random() % 40);
    const auto contributor = static_cast<std::uint32_t>(random() % 3);
    if (random() % 4 == 0) {
      const std::uint32_t actions = thalweg_nic_release(&group, &state, epoch, &none);
      if (actions != THALWEG_NIC_NOTHING) {
        ASSERT_EQ(arrived[epoch], 7U);
      }
      continue;
    }
    arrived[epoch] |= std::uint64_t{1} << contributor;
    const std::uint32_t actions = arrive(group, state, contributor, epoch);
    if ((actions & THALWEG_NIC_NOTIFY_PARENT) != 0) {
      ASSERT_EQ(arrived[epoch], 7U);
    }
    for (std::uint32_t place = 0; place < THALWEG_NIC_WINDOW; ++place)
      ASSERT_TRUE(state.slots[place].arrived == 0 || state.slots[place].epoch % THALWEG_NIC_WINDOW == place);
  }
}

} // namespace

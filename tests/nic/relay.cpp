// SPDX-License-Identifier: BSD-3-Clause
#include "nic/relay.h"

#include "nic/datagram.hpp"

#include <cstring>
#include <gtest/gtest.h>

namespace {

using thalweg::nic::PartHead;

constexpr std::uint32_t whole_bytes = 3000; // three segments
constexpr std::uint64_t whole = 7;

// One rank here, two cards below, one above.
struct InnerCard {
  thalweg_nic_group group{};
  thalweg_nic_relay relay{};

  InnerCard() {
    group.key = 0x0123456789abcdefU;
    group.id = 5;
    group.locals = 1;
    group.contributors = 3;
    group.has_parent = 1;
    group.own = 2;
    group.segment_bytes = THALWEG_NIC_SEGMENT_BYTES;
    thalweg_nic_begin(&relay, 1);
  }
  // A segment comes, and is written where the card wants it.
  thalweg_nic_errand put(std::uint32_t epoch, std::uint32_t segment, std::uint32_t asks = 0,
                         bool is_taken = true) {
    thalweg_nic_errand errand{};
    if (thalweg_nic_offer(&group, &relay, epoch, whole_bytes, segment, asks, is_taken ? 1 : 0, &errand) != 0)
      thalweg_nic_written(&group, &relay, epoch, segment, asks, &errand);
    return errand;
  }
  void put_all(std::uint32_t epoch) {
    for (std::uint32_t segment = 0; segment < 3; ++segment)
      put(epoch, segment);
  }
  thalweg_nic_errand hear(std::uint32_t contributor, std::uint32_t epoch, std::uint64_t have,
                          bool is_taken = true) {
    thalweg_nic_errand errand{};
    thalweg_nic_hear(&group, &relay, contributor, epoch, have, is_taken ? 1 : 0, &errand);
    return errand;
  }
  thalweg_nic_errand ask(std::uint32_t epoch, bool is_taken = true) {
    thalweg_nic_errand errand{};
    thalweg_nic_ask(&group, &relay, 0, epoch, is_taken ? 1 : 0, &errand);
    return errand;
  }
};

TEST(NicRelay, PartsHaveOneFormInAllPrograms) {
  const PartHead head(InnerCard().group, THALWEG_NIC_DOWN, 0x01020304,
                      {.have = 0x1122334455667788U, .bytes = 0x00015180, .segment = 61, .asks = 1});
  const unsigned char expected[] = {
      0x54, 0x57, 9, 3, 0,    0,    0,    5,    0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 1, 2,  3, 4,
      0,    0,    0, 0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0,    1,    0x51, 0x80, 0, 61, 0, 1};
  ASSERT_EQ(sizeof head, sizeof expected);
  EXPECT_EQ(std::memcmp(&head, expected, sizeof head), 0);
}

TEST(NicRelay, SegmentsOfAllLengthsMakeUpTheMessage) {
  const thalweg_nic_group group = InnerCard().group;
  for (std::uint32_t bytes = 1; bytes <= std::uint32_t{THALWEG_NIC_SEGMENTS} * THALWEG_NIC_SEGMENT_BYTES;
       bytes += 1 + bytes / 7) {
    std::uint32_t sum = 0;
    for (std::uint32_t segment = 0; segment < THALWEG_NIC_SEGMENTS; ++segment) {
      const std::uint32_t length = thalweg_nic_segment_bytes(&group, bytes, segment);
      EXPECT_EQ(length != 0, (thalweg_nic_whole(&group, bytes) >> segment & 1) != 0);
      sum += length;
    }
    EXPECT_EQ(sum, bytes);
  }
  EXPECT_EQ(thalweg_nic_segment_bytes(&group, 90113, 0), 0U) << "too long for cards";
  EXPECT_EQ(thalweg_nic_segment_bytes(&group, 0xffffffffU, 63), 0U);
}

TEST(NicRelay, ASegmentGoesOnAtOnceAndTheWholeIsAcknowledgedOneHop) {
  InnerCard card;
  const thalweg_nic_errand first = card.put(1, 2);
  EXPECT_EQ(first.actions, THALWEG_NIC_FORWARD);
  EXPECT_EQ(first.to, 6U) << "the cards below";
  EXPECT_EQ(card.put(1, 2).actions, 0U) << "doubled";
  card.put(1, 0);
  const thalweg_nic_errand last = card.put(1, 1);
  EXPECT_EQ(last.actions, std::uint32_t{THALWEG_NIC_FORWARD | THALWEG_NIC_END | THALWEG_NIC_REPORT});
  EXPECT_EQ(last.have, whole);
  EXPECT_EQ(last.above, 1U);
}

TEST(NicRelay, WhoLacksSomethingGetsItWithoutTheHost) {
  InnerCard card;
  const thalweg_nic_errand unknown = card.hear(1, 1, 0);
  EXPECT_EQ(unknown.actions, THALWEG_NIC_REPORT) << "the question is passed on";
  EXPECT_EQ(unknown.have, 0U);
  card.put(1, 0);
  card.put(1, 1);
  const thalweg_nic_errand partly = card.hear(1, 1, 1);
  EXPECT_EQ(partly.actions, std::uint32_t{THALWEG_NIC_RESEND | THALWEG_NIC_REPORT});
  EXPECT_EQ(partly.segments, 2U);
  EXPECT_EQ(partly.have, 3U);
  card.put(1, 2);
  EXPECT_EQ(card.hear(1, 1, 3).actions, THALWEG_NIC_RESEND);
}

TEST(NicRelay, ThereIsRoomOnceAllHaveTheMessageAWindowBefore) {
  constexpr std::uint32_t next = 1 + THALWEG_NIC_WINDOW;
  InnerCard card;
  card.put_all(1);
  EXPECT_EQ(card.hear(1, 1, whole).actions, 0U);
  const thalweg_nic_errand dropped = card.put(next, 0);
  EXPECT_EQ(dropped.actions, THALWEG_NIC_FORWARD) << "the card that is in the way is asked";
  EXPECT_EQ(dropped.epoch, 1U);
  EXPECT_EQ(dropped.to, 4U);
  EXPECT_EQ(dropped.asks, 1U);
  const thalweg_nic_errand freed = card.hear(2, 1, whole);
  EXPECT_EQ(freed.actions, std::uint32_t{THALWEG_NIC_FREE | THALWEG_NIC_REPORT})
      << "what was dropped is wanted";
  EXPECT_EQ(freed.above, next);
  EXPECT_EQ(card.put(next, 0, 0, false).actions, 0U) << "a rank has not taken the message before";
  EXPECT_NE(card.put(next, 0).actions & THALWEG_NIC_FORWARD, 0U);
}

TEST(NicRelay, ALaterQuestionAcknowledgesWhatIsAWindowBefore) {
  InnerCard card;
  card.put_all(1);
  card.hear(1, 1, whole);
  const thalweg_nic_errand later = card.hear(2, 1 + THALWEG_NIC_WINDOW, 0);
  EXPECT_EQ(later.actions, std::uint32_t{THALWEG_NIC_FREE | THALWEG_NIC_REPORT});
  EXPECT_EQ(later.freed, 1U);
}

TEST(NicRelay, WhoIsAskedSaysWhatItHas) {
  InnerCard card;
  card.put(1, 1);
  const thalweg_nic_errand partly = card.put(1, 1, 1);
  EXPECT_EQ(partly.actions, THALWEG_NIC_REPORT);
  EXPECT_EQ(partly.have, 2U);
  card.put_all(1);
  EXPECT_EQ(card.put(1, 0, 1).have, whole);
  EXPECT_EQ(card.ask(1).actions, THALWEG_NIC_FORWARD) << "those below that have not acknowledged";
}

TEST(NicRelay, PacketsThatDoNotFitChangeNothing) {
  InnerCard card;
  thalweg_nic_errand errand{};
  EXPECT_EQ(thalweg_nic_offer(&card.group, &card.relay, 1, whole_bytes, 3, 0, 1, &errand), 0);
  EXPECT_EQ(thalweg_nic_offer(&card.group, &card.relay, 1, 0, 0, 0, 1, &errand), 0);
  card.put(1, 0);
  EXPECT_EQ(thalweg_nic_offer(&card.group, &card.relay, 1, whole_bytes + 1, 1, 0, 1, &errand), 0);
  EXPECT_EQ(card.put(1 + 2 * THALWEG_NIC_WINDOW, 0).actions, 0U);
  EXPECT_EQ(card.relay.messages[1].have, 1U);
}

} // namespace

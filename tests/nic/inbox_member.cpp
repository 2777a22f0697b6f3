// SPDX-License-Identifier: BSD-3-Clause
#include "nic/inbox_member.hpp"

#include "base/error.hpp"

#include <gtest/gtest.h>
#include <map>
#include <unistd.h>
#include <vector>

namespace thalweg::nic {
namespace {

// A card that a test gives answers and messages of.
struct InboxScript {
  std::vector<std::uint32_t> sent{}, posted{}, taken{}; // sequences, numbers
  std::uint64_t credit = 0;
  std::map<std::uint32_t, thalweg_nic_match> matches{};
  std::string loss{};

  void answer(std::uint32_t accepted, bool has_room) {
    credit = thalweg_nic_credit(credit, accepted, has_room ? 1 : 0);
  }
};

class ScriptedInbox final : public InboxCard {
public:
  explicit ScriptedInbox(InboxScript& script) : script_(script) {}
  void send(std::uint32_t, std::uint32_t sequence, std::uint32_t, std::uint32_t,
            std::span<const std::byte>) override {
    script_.sent.push_back(sequence);
  }
  std::uint64_t credit(std::uint32_t) override { return script_.credit; }
  void post(std::uint32_t number, std::uint32_t, std::uint32_t) override { script_.posted.push_back(number); }
  bool has_matched(std::uint32_t number, thalweg_nic_match& match) override {
    if (!script_.matches.contains(number))
      return false;
    match = script_.matches.at(number);
    return true;
  }
  void take(const thalweg_nic_match& match, std::span<std::byte>) override {
    script_.taken.push_back(match.receive);
  }
  void sleep_unless(const std::function<bool()>& has_come, std::uint32_t) override {
    if (!has_come())
      script_.answer(1, true);
  }
  std::string loss() override { return script_.loss; }

private:
  InboxScript& script_;
};

struct InboxMemberTest : testing::Test {
  InboxScript script;
  InboxMember member{std::make_unique<ScriptedInbox>(script), 2};
  using Numbers = std::vector<std::uint32_t>;
};

TEST_F(InboxMemberTest, AMessageIsSentOnceUntilItIsAccepted) {
  OutgoingMessage message{.to = 1};
  member.begin(message);
  EXPECT_FALSE(member.look(message));
  EXPECT_FALSE(member.look(message));
  EXPECT_EQ(script.sent, Numbers{0});
  script.answer(1, true);
  EXPECT_TRUE(member.look(message));
}

TEST_F(InboxMemberTest, WhereThereIsNoRoomNothingIsSentBeforeThereIs) {
  script.answer(1, false);
  OutgoingMessage first{.to = 1}, second{.to = 1};
  member.begin(first);
  member.begin(second);
  EXPECT_TRUE(member.look(first));
  EXPECT_FALSE(member.look(second));
  EXPECT_TRUE(script.sent.empty());
  script.answer(1, true);
  EXPECT_FALSE(member.look(second));
  EXPECT_EQ(script.sent, Numbers{1});
}

TEST_F(InboxMemberTest, WhatSeemsLostIsSaidAgain) {
  OutgoingMessage message{.to = 1};
  IncomingMessage receive;
  member.begin(message);
  member.begin(receive);
  while (script.sent.size() < 2 || script.posted.size() < 2) {
    EXPECT_FALSE(member.look(message));
    EXPECT_FALSE(member.look(receive));
    usleep(1000);
  }
  EXPECT_EQ(script.sent[1], 0U);
  EXPECT_EQ(script.posted[1], 1U);
}

TEST_F(InboxMemberTest, AReceiveWaitsForThePlaceOfTheOneAWindowBefore) {
  std::vector<IncomingMessage> receives(THALWEG_NIC_RECEIVES + 1);
  for (IncomingMessage& receive : receives) {
    member.begin(receive);
    EXPECT_FALSE(member.look(receive));
  }
  EXPECT_EQ(script.posted.size(), std::size_t{THALWEG_NIC_RECEIVES});
  script.matches[1] = {1, 0, 3, 0, 8, 5};
  EXPECT_TRUE(member.look(receives.front()));
  member.take(receives.front(), {});
  EXPECT_EQ(script.taken, Numbers{1});
  EXPECT_FALSE(member.look(receives.back()));
  EXPECT_EQ(script.posted.back(), THALWEG_NIC_RECEIVES + 1U);
}

TEST_F(InboxMemberTest, WhoWaitsSleepsUntilTheCardAnswers) {
  wait::Policy policy;
  policy.polls = 1;
  policy.settings.yield_us = 0;
  OutgoingMessage message{.to = 1};
  member.run(message, policy);
  EXPECT_EQ(script.sent, Numbers{0});
}

TEST_F(InboxMemberTest, ALostCardIsAnError) {
  script.loss = "the agent of this host has ended";
  IncomingMessage receive;
  member.begin(receive);
  const auto look_for_long = [&] {
    for (int turn = 0; turn < 1000; ++turn, usleep(1000))
      member.look(receive);
  };
  EXPECT_THROW(look_for_long(), Error);
}

} // namespace
} // namespace thalweg::nic

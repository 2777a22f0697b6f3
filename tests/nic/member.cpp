// SPDX-License-Identifier: BSD-3-Clause
#include "nic/member.hpp"

#include "wait/system.hpp"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace thalweg::nic {
namespace {

// A card that a test ends operations of.
struct Script {
  std::vector<std::uint32_t> starts;
  std::set<std::uint32_t> ended;
  std::string loss;
  bool is_full = false;            // nothing leaves
  std::set<std::uint32_t> comes{}; // ends while the member sleeps
  std::vector<std::uint32_t> sleeps{};
};

class Scripted final : public Card {
public:
  explicit Scripted(Script& script) : script_(script) {}
  bool start(std::uint32_t epoch, const thalweg_nic_content&) override {
    if (!script_.is_full)
      script_.starts.push_back(epoch);
    return !script_.is_full;
  }
  bool has_ended(std::uint32_t epoch) override { return script_.ended.contains(epoch); }
  void read(std::uint32_t epoch, thalweg_nic_content& result) override { result.words[0] = 100 + epoch; }
  void sleep_unless(const std::function<bool()>& has_come, std::uint32_t longest_us) override {
    if (has_come())
      return;
    script_.sleeps.push_back(longest_us);
    script_.ended.merge(script_.comes);
  }
  std::string loss() override { return script_.loss; }

private:
  Script& script_;
};

struct MemberTest : testing::Test {
  Script script;
  Member member{std::make_unique<Scripted>(script)};
  std::vector<MemberOperation> operations{2 * THALWEG_NIC_WINDOW + 1};

  void SetUp() override {
    for (std::uint32_t i = 0; i < operations.size(); ++i)
      operations[i].epoch = i + 1;
  }
  void look_at_all() {
    for (MemberOperation& operation : operations)
      EXPECT_FALSE(member.look(operation));
  }
};

TEST_F(MemberTest, HasAWindowOfOperationsUnderWay) {
  look_at_all();
  EXPECT_EQ(script.starts.size(), std::size_t{THALWEG_NIC_WINDOW});
  script.ended = {1, 2, 3};
  EXPECT_TRUE(member.look(operations[1])) << "in any order";
  EXPECT_EQ(operations[1].content.words[0], 102U);
  EXPECT_FALSE(member.look(operations[THALWEG_NIC_WINDOW])) << "the first one's result was not taken";
  EXPECT_FALSE(member.look(operations[THALWEG_NIC_WINDOW + 1]));
  EXPECT_EQ(script.starts.back(), THALWEG_NIC_WINDOW + 2U);
  EXPECT_TRUE(member.look(operations[0]));
  EXPECT_FALSE(member.look(operations[THALWEG_NIC_WINDOW]));
  EXPECT_EQ(script.starts.back(), THALWEG_NIC_WINDOW + 1U);
}

TEST_F(MemberTest, OperationsThatAreLeftHoldUpOthersUntilTheyEnd) {
  for (std::uint32_t i = 0; i < THALWEG_NIC_WINDOW; ++i)
    EXPECT_TRUE(member.leave(operations[i]));
  EXPECT_FALSE(member.leave(operations[THALWEG_NIC_WINDOW]));
  script.ended = {1};
  EXPECT_TRUE(member.leave(operations[THALWEG_NIC_WINDOW]));
}

TEST_F(MemberTest, AnOperationIsNotLeftBeforeItsPacketHas) {
  script.is_full = true;
  EXPECT_FALSE(member.leave(operations[0]));
  script.is_full = false;
  EXPECT_TRUE(member.leave(operations[0]));
}

TEST_F(MemberTest, StartsAgainWhatIsLost) {
  while (script.starts.size() < 3)
    EXPECT_FALSE(member.look(operations[0]));
  EXPECT_EQ(script.starts, (std::vector<std::uint32_t>{1, 1, 1}));
}

TEST_F(MemberTest, SleepsUntilItsEndWakesIt) {
  script.comes = {1};
  member.run(operations[0], {.settings = {.yield_us = 0}});
  EXPECT_EQ(script.sleeps.size(), 1U);
  EXPECT_EQ(operations[0].content.words[0], 101U);
}

TEST_F(MemberTest, SleepsUntilItMayStart) {
  for (std::uint32_t i = 0; i < THALWEG_NIC_WINDOW; ++i)
    EXPECT_TRUE(member.leave(operations[i]));
  script.comes = {1, THALWEG_NIC_WINDOW + 1};
  member.run(operations[THALWEG_NIC_WINDOW], {.settings = {.yield_us = 0}});
  EXPECT_EQ(script.sleeps.size(), 1U);
  EXPECT_EQ(script.starts.back(), THALWEG_NIC_WINDOW + 1U);
}

TEST_F(MemberTest, StartsNothingAgainWhereItsCardIsLost) {
  script.loss = "the agent of this host has ended";
  for (const std::uint64_t begin_ns = wait::System::now_ns(); wait::System::now_ns() < begin_ns + 30'000'000;)
    EXPECT_FALSE(member.look(operations[0]));
  EXPECT_EQ(script.starts, std::vector<std::uint32_t>{1});
  EXPECT_EQ(member.loss(), script.loss);
}

TEST_F(MemberTest, FrozenItHoldsToTheEndsThatThereWere) {
  EXPECT_FALSE(member.look(operations[0]));
  EXPECT_FALSE(member.look(operations[1]));
  script.ended = {1};
  member.freeze();
  script.ended = {1, 2};
  EXPECT_FALSE(member.look(operations[1])) << "others are told that it has not ended here";
  EXPECT_FALSE(member.run(operations[1], {.settings = {.yield_us = 0}}));
  EXPECT_TRUE(member.look(operations[0]));
  EXPECT_FALSE(member.look(operations[2]));
  EXPECT_EQ(script.starts, (std::vector<std::uint32_t>{1, 2})) << "nothing is started any more";
}

TEST_F(MemberTest, FrozenItKnowsWhatOthersMayNeed) {
  operations[1].content = {
      .operation = 3, .count = 2, .first = 0, .last = 0, .waited_us = 0, .words = {7, 8}};
  EXPECT_TRUE(member.leave(operations[1]));
  EXPECT_FALSE(member.look(operations[0]));
  script.ended = {1, 3};
  EXPECT_TRUE(member.look(operations[0]));
  EXPECT_TRUE(member.look(operations[2]));
  script.ended = {1, 3, 9};
  EXPECT_TRUE(member.look(operations[8])) << "in the place of the first one";
  member.freeze();
  thalweg_nic_content content{};
  EXPECT_EQ(member.known_of(1, content), Knowledge::past);
  EXPECT_EQ(member.known_of(2, content), Knowledge::contribution);
  EXPECT_EQ(content.words[1], 8U);
  EXPECT_EQ(member.known_of(3, content), Knowledge::result);
  EXPECT_EQ(content.words[0], 103U);
  EXPECT_EQ(member.known_of(4, content), Knowledge::nothing);
  EXPECT_EQ(member.known_of(9, content), Knowledge::result);
  const WindowEpochs satisfied = member.satisfied();
  EXPECT_EQ(satisfied[1], 9U);
  EXPECT_EQ(satisfied[2], 2U);
  EXPECT_EQ(satisfied[4], 4U - THALWEG_NIC_WINDOW);
}

// A card that a test ends broadcasts of.
struct RelayScript {
  std::vector<std::uint32_t> entered{}, put{}, asked{}, taken{};
  std::set<std::uint32_t> ended{};
  bool has_room = true;
  std::string loss{};
  std::set<std::uint32_t> comes{}; // ends while the member sleeps
};

class ScriptedRelay final : public RelayCard {
public:
  explicit ScriptedRelay(RelayScript& script) : script_(script) {}
  void enter(std::uint32_t epoch) override { script_.entered.push_back(epoch); }
  bool has_room(std::uint32_t) override { return script_.has_room; }
  void put(std::uint32_t epoch, std::span<const std::byte>) override { script_.put.push_back(epoch); }
  void ask(std::uint32_t epoch) override { script_.asked.push_back(epoch); }
  void take(std::uint32_t epoch, std::span<std::byte> message) override {
    script_.taken.push_back(epoch);
    std::ranges::fill(message, std::byte{7});
  }
  bool has_ended(std::uint32_t epoch) override { return script_.ended.contains(epoch); }
  void sleep_unless(const std::function<bool()>& has_come, std::uint32_t) override {
    if (has_come())
      return;
    script_.ended.merge(script_.comes);
    script_.has_room = true;
  }
  std::string loss() override { return script_.loss; }

private:
  RelayScript& script_;
};

struct RelayMemberTest : testing::Test {
  RelayScript script;
  RelayMember root{std::make_unique<ScriptedRelay>(script), true, 2};
  RelayMember other{std::make_unique<ScriptedRelay>(script), false, 2};
  std::array<std::byte, 5> bytes{};
  MemberBroadcast first{.message = bytes, .epoch = 1};
  MemberBroadcast second{.message = bytes, .epoch = 2};
  static constexpr wait::Policy sleeping{.settings = {.yield_us = 0}};
};

TEST_F(RelayMemberTest, TheRootIsDoneWhenItsCardHasTheMessage) {
  EXPECT_FALSE(root.look(first));
  EXPECT_EQ(script.put, std::vector<std::uint32_t>{1});
  script.ended = {1};
  EXPECT_TRUE(root.look(first));
  EXPECT_EQ(script.taken, std::vector<std::uint32_t>{1});
  EXPECT_EQ(bytes[0], std::byte{}) << "the root keeps what it gave";
}

TEST_F(RelayMemberTest, TheRootWaitsForRoomAndAsksForIt) {
  script.has_room = false;
  while (script.asked.empty())
    EXPECT_FALSE(root.look(first));
  EXPECT_TRUE(script.put.empty());
  script.comes = {1};
  root.run(first, sleeping);
  EXPECT_EQ(script.put, std::vector<std::uint32_t>{1});
}

TEST_F(RelayMemberTest, TheRootGivesAgainWhatWasHeldBack) {
  while (script.put.size() < 3)
    EXPECT_FALSE(root.look(first));
}

TEST_F(RelayMemberTest, OthersTakeWhatHasComeAndAskOnlyWhereItHasNot) {
  script.ended = {2};
  EXPECT_TRUE(other.look(second));
  EXPECT_EQ(bytes[4], std::byte{7});
  EXPECT_TRUE(script.asked.empty());
  EXPECT_FALSE(other.look(first));
  EXPECT_EQ(script.asked.size(), 1U) << "the first tells the card above the way";
  while (script.asked.size() < 3)
    EXPECT_FALSE(other.look(first));
  script.comes = {1};
  other.run(first, sleeping);
  EXPECT_EQ(script.entered, (std::vector<std::uint32_t>{2, 1}));
}

TEST_F(RelayMemberTest, TheRootKeepsWhatRanksFarBelowMayLack) {
  constexpr std::uint32_t all = 3 * THALWEG_NIC_WINDOW; // two levels of cards, and the ranks of the lower one
  for (std::uint32_t epoch = 1; epoch <= all + 1; ++epoch) {
    bytes[0] = std::byte(epoch);
    script.ended = {epoch};
    MemberBroadcast one{.message = bytes, .epoch = epoch};
    EXPECT_TRUE(root.look(one));
  }
  EXPECT_TRUE(root.kept(1).empty());
  for (std::uint32_t epoch = 2; epoch <= all + 1; ++epoch) {
    ASSERT_EQ(root.kept(epoch).size(), bytes.size());
    EXPECT_EQ(root.kept(epoch)[0], std::byte(epoch));
  }
  EXPECT_TRUE(root.kept(all + 2).empty());
}

TEST_F(RelayMemberTest, FrozenItTakesWhatHasComeAndStartsNothing) {
  EXPECT_FALSE(other.look(second));
  script.ended = {1};
  other.freeze();
  script.ended = {1, 2};
  EXPECT_FALSE(other.run(second, sleeping)) << "others are told that it has not come";
  EXPECT_EQ(other.satisfied()[1], 1U);
  EXPECT_EQ(other.satisfied()[2], 2U - THALWEG_NIC_WINDOW);
  EXPECT_TRUE(other.look(first)) << "it came before this rank did";
  script.ended = {};
  root.freeze();
  EXPECT_FALSE(root.look(first));
  EXPECT_TRUE(script.put.empty());
}

} // namespace
} // namespace thalweg::nic

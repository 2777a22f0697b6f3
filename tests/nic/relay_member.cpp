// SPDX-License-Identifier: BSD-3-Clause
#include "nic/relay_member.hpp"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace thalweg::nic {
namespace {

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
  Relayed first{.message = bytes, .epoch = 1};
  Relayed second{.message = bytes, .epoch = 2};
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
    Relayed one{.message = bytes, .epoch = epoch};
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

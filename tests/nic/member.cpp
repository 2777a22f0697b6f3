// SPDX-License-Identifier: BSD-3-Clause
#include "nic/member.hpp"

#include "wait/system.hpp"

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
  std::vector<Underway> operations{2 * THALWEG_NIC_WINDOW + 1};

  void SetUp() override {
    for (std::uint32_t i = 0; i < operations.size(); ++i)
      operations[i].epoch = i + 1;
  }
  void look_at_all() {
    for (Underway& operation : operations)
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
  EXPECT_EQ(member.known_of(1, content), Known::past);
  EXPECT_EQ(member.known_of(2, content), Known::contribution);
  EXPECT_EQ(content.words[1], 8U);
  EXPECT_EQ(member.known_of(3, content), Known::result);
  EXPECT_EQ(content.words[0], 103U);
  EXPECT_EQ(member.known_of(4, content), Known::nothing);
  EXPECT_EQ(member.known_of(9, content), Known::result);
  const WindowEpochs satisfied = member.satisfied();
  EXPECT_EQ(satisfied[1], 9U);
  EXPECT_EQ(satisfied[2], 2U);
  EXPECT_EQ(satisfied[4], 4U - THALWEG_NIC_WINDOW);
}

} // namespace
} // namespace thalweg::nic

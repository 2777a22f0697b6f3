// SPDX-License-Identifier: BSD-3-Clause
#include "nic/agent/group.hpp"

#include "base/error.hpp"
#include "nic/protocol.h"

#include <cstddef>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace thalweg::nic {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using Clock = Group::Clock;

constexpr std::uint32_t own_address = 0x0100000a;
constexpr std::uint32_t address_above = 0x0200000a;

// A file as long as a page of the kernel's, which the group owns.
int page_file() {
  const int made = memfd_create("page", MFD_CLOEXEC);
  EXPECT_EQ(ftruncate(made, THALWEG_NIC_PAGE_BYTES), 0);
  return made;
}

thalweg_nic_request two_ranks_below_another_host() {
  thalweg_nic_request request{};
  request.group.id = 7;
  request.group.locals = 2;
  request.group.contributors = 2;
  request.group.has_parent = 1;
  request.group.parent.address = address_above;
  request.ranks[0] = 4;
  request.ranks[1] = 5;
  return request;
}

struct Pair {
  Group group{two_ranks_below_another_host(), 1000, {page_file(), -1}, own_address, "here"};
};

TEST(Group, KnowsWhichOfItsRanksAreHere) {
  Pair pair;
  EXPECT_FALSE(pair.group.presence().has_ranks());
  pair.group.presence().join(1);
  EXPECT_TRUE(pair.group.presence().has_ranks());
  EXPECT_THROW(pair.group.presence().join(1), Error);
  pair.group.presence().join(0);
  const Clock::time_point now = Clock::now();
  pair.group.presence().leave(1, now);
  EXPECT_TRUE(pair.group.presence().has_ranks());
  pair.group.presence().leave(0, now + seconds(1));
  EXPECT_FALSE(pair.group.presence().has_ranks());
  EXPECT_EQ(pair.group.presence().left(), now + seconds(1));
}

TEST(Group, IsKeptForAWhileAfterItsRanksHaveLeft) {
  Pair pair;
  pair.group.presence().join(0);
  const Clock::time_point now = Clock::now();
  EXPECT_FALSE(pair.group.presence().must_expire(now + minutes(20))) << "a rank is there";
  pair.group.presence().leave(0, now);
  EXPECT_FALSE(pair.group.presence().may_expire(now + seconds(9)));
  EXPECT_TRUE(pair.group.presence().may_expire(now + seconds(10)));
  EXPECT_FALSE(pair.group.presence().must_expire(now + seconds(10))) << "cards below may need it";
  EXPECT_TRUE(pair.group.presence().must_expire(now + minutes(10)));
  pair.group.presence().renew(now + minutes(10));
  EXPECT_FALSE(pair.group.presence().may_expire(now + minutes(10)));
}

TEST(Group, GoesAtOnceWhereNobodyNeedsItOnAnyHost) {
  Pair pair;
  pair.group.presence().join(0);
  pair.group.presence().dissolve();
  const Clock::time_point now = Clock::now();
  EXPECT_FALSE(pair.group.presence().may_expire(now)) << "a rank has not heard of it";
  pair.group.presence().leave(0, now);
  EXPECT_TRUE(pair.group.presence().must_expire(now));
}

TEST(Group, TellsRanksThroughItsPageWhoIsGone) {
  Pair pair;
  pair.group.begin();
  ASSERT_TRUE(pair.group.watch().leave(1));
  pair.group.announce();
  const auto& told = *reinterpret_cast<const thalweg_nic_departure*>(
      reinterpret_cast<const std::byte*>(&pair.group.page()) + THALWEG_NIC_DEPARTURE_AT);
  EXPECT_EQ(told.kind, THALWEG_NIC_PROCESS_ENDED);
  EXPECT_EQ(told.rank, 5);
  EXPECT_STREQ(told.host, "here");
  EXPECT_FALSE(pair.group.was_given_up());
}

// Another process has served before, whose page is still there.
TEST(Group, GoesOnWithWhatItsPageSays) {
  Pair before;
  ASSERT_TRUE(before.group.watch().leave(0));
  before.group.announce();
  Group after(two_ranks_below_another_host(), 1000, {dup(before.group.descriptors().page), -1}, own_address,
              "here");
  EXPECT_EQ(after.watch().departure().kind, THALWEG_NIC_NOBODY_LEFT);
  after.recall();
  EXPECT_EQ(after.watch().departure().kind, THALWEG_NIC_PROCESS_ENDED);
  EXPECT_EQ(after.watch().departure().rank, 4);
}

TEST(Group, BeginsAsIfBroadcastsHadBeenBeforeTheFirst) {
  Pair pair;
  pair.group.begin();
  for (std::uint32_t epoch = 1; epoch <= THALWEG_NIC_WINDOW; ++epoch) {
    const std::uint32_t before = epoch - THALWEG_NIC_WINDOW;
    EXPECT_EQ(pair.group.page().freed[epoch % THALWEG_NIC_WINDOW], before);
    EXPECT_EQ(pair.group.page().taken[epoch % THALWEG_NIC_WINDOW][0], before);
  }
}

TEST(Group, KnowsWhoIsAboveIt) {
  Pair pair;
  EXPECT_TRUE(pair.group.is_above(address_above));
  EXPECT_FALSE(pair.group.is_above(own_address));
}

TEST(Group, IsDescribedWithWhomItWaitsFor) {
  Pair pair;
  pair.group.presence().join(0);
  thalweg_nic_state state{};
  state.slots[1].epoch = 1;
  state.slots[1].arrived = 1;
  const Clock::time_point now = Clock::now();
  pair.group.watch().look(state, now);
  const std::string said = pair.group.describe(now);
  EXPECT_NE(said.find(R"("ranks":2,"present":1)"), std::string::npos) << said;
  EXPECT_NE(said.find(R"("missing":[{"rank":5,"host":"10.0.0.1")"), std::string::npos) << said;
}

TEST(Group, NeedsAPage) {
  EXPECT_THROW(Group(two_ranks_below_another_host(), 1000, {-1, -1}, own_address, "here"), Error);
}

StuckEpochs stuck_at(std::uint32_t epoch) {
  StuckEpochs stuck{};
  stuck[epoch % THALWEG_NIC_WINDOW] = epoch;
  return stuck;
}

TEST(Restarts, ComeLaterEachTime) {
  Restarts restarts;
  const Clock::time_point begin{seconds(1)};
  std::vector<std::int64_t> starts_ms;
  for (Clock::time_point now = begin; now < begin + milliseconds(800); now += milliseconds(1))
    if (restarts.due(stuck_at(3), now) == stuck_at(3))
      starts_ms.push_back(std::chrono::duration_cast<milliseconds>(now - begin).count());
  EXPECT_EQ(starts_ms, (std::vector<std::int64_t>{10, 30, 70, 150, 310, 470, 630, 790}));
}

TEST(Restarts, OfALaterEpochBeginAnew) {
  Restarts restarts;
  const Clock::time_point begin{seconds(1)};
  EXPECT_EQ(restarts.due(stuck_at(3), begin), StuckEpochs{});
  EXPECT_EQ(restarts.due({}, begin + milliseconds(20)), StuckEpochs{}) << "it has ended";
  const std::uint32_t later = 3 + THALWEG_NIC_WINDOW;
  EXPECT_EQ(restarts.due(stuck_at(later), begin + milliseconds(20)), StuckEpochs{});
  EXPECT_EQ(restarts.due(stuck_at(later), begin + milliseconds(30)), stuck_at(later));
}

} // namespace
} // namespace thalweg::nic

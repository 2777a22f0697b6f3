// SPDX-License-Identifier: BSD-3-Clause

// What fences choose for brackets: by the model in the beginning, then by steps; other strategies for other
// degrees and sizes; the same on all ranks; and no slow strategy for long.
//
// Several associations of one program, of which fences know only what a step of all takes: each finds its own
// best strategy.

#include "objects/bracket_choice.hpp"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

namespace {

using namespace thalweg;
using namespace thalweg::objects;
using machine::Figure;

machine::Machine a_machine() {
  machine::Machine machine;
  machine::MessageCost cost;
  cost.bytes_max = INT64_MAX;
  cost.latency = Figure{2e-6, 2e-6, 2e-6};
  cost.send = cost.receive = Figure{1e-6, 1e-6, 1e-6};
  cost.gap_per_byte = Figure{1e-9, 1e-9, 1e-9};
  machine.levels = {{machine::Level::network, {cost}, 0}};
  machine.copy = {{INT64_MAX, Figure{1e-10, 1e-10, 1e-10}}};
  return machine;
}

BracketChoice a_choice(std::int32_t ranks, bool may_try = true) {
  return {a_machine(), machine::Level::network, ranks, {.may_try = may_try}};
}

Period uniform(double degree, double bytes, double step_seconds, double iterations = 10) {
  const model::Volume each{degree, degree * bytes};
  return {iterations, {each, each, each}, step_seconds, step_seconds * iterations};
}

Period multicasts(double degree, double bytes, double step_seconds) {
  Period period = uniform(degree, bytes, step_seconds);
  period.pattern.multicast = 1;
  return period;
}

/// Fences until nothing changes for long; who took part, in the order of their first periods.
std::vector<BracketStrategy> settled(BracketChoice& choice, double degree, double bytes,
                                     const std::function<double(BracketStrategy)>& step_seconds) {
  std::vector<BracketStrategy> seen;
  for (int fence = 0; fence < 30; ++fence) {
    if (seen.empty() || seen.back() != choice.current())
      seen.push_back(choice.current());
    choice.decide(uniform(degree, bytes, step_seconds(choice.current())));
  }
  return seen;
}

TEST(BracketChoice, TheModelAloneFollowsDegreeAndSize) {
  BracketChoice choice = a_choice(512, false);
  EXPECT_EQ(choice.current(), BracketStrategy::direct);
  choice.decide(uniform(500, 50, 1e-3)); // short ones to nearly all: the fewest messages
  const BracketStrategy for_many = choice.current();
  EXPECT_TRUE(for_many == BracketStrategy::hypercube || for_many == BracketStrategy::grid)
      << to_text(for_many);
  choice.decide(uniform(500, 100'000, 1e-3)); // long ones: each byte once
  EXPECT_EQ(choice.current(), BracketStrategy::direct);
  choice.decide(uniform(3, 50, 1e-3)); // few partners
  EXPECT_EQ(choice.current(), BracketStrategy::direct);
  choice.decide(uniform(500, 50, 1e-3));
  EXPECT_EQ(choice.current(), for_many);
  EXPECT_NE(choice.explanation().find("sends to 500 of 512 ranks, 50 B to each"), std::string::npos)
      << choice.explanation();
}

// A mesh sends each of their bytes once, and a third of the messages.
TEST(BracketChoice, MulticastsStayInAMeshWhereOtherCallsDoNot) {
  BracketChoice choice = a_choice(512, false);
  choice.decide(uniform(500, 100'000, 1e-3));
  EXPECT_EQ(choice.current(), BracketStrategy::direct);
  choice.decide(multicasts(500, 1500, 1e-3));
  EXPECT_NE(choice.current(), BracketStrategy::direct);
  EXPECT_NE(choice.explanation().find("100 % of it in multicasts"), std::string::npos)
      << choice.explanation();
  choice.decide(uniform(500, 1500, 1e-3));
  EXPECT_EQ(choice.current(), BracketStrategy::direct);
}

TEST(BracketChoice, WhatWasMeasuredWithMulticastsSaysNothingOfOtherCalls) {
  BracketChoice choice = a_choice(64);
  const auto fences = [&](auto pattern, auto fastest) {
    for (int fence = 0; fence < 30; ++fence)
      choice.decide(pattern(12, 300, choice.current() == fastest ? 8e-4 : 1e-3));
    EXPECT_EQ(choice.current(), fastest);
  };
  const auto calls = [](double degree, double bytes, double seconds) {
    return uniform(degree, bytes, seconds);
  };
  fences(calls, BracketStrategy::direct);
  fences(multicasts, BracketStrategy::mesh);
  choice.decide(calls(12, 300, 1e-3));
  EXPECT_EQ(choice.current(), BracketStrategy::direct);
  choice.decide(multicasts(12, 300, 1e-3));
  EXPECT_EQ(choice.current(), BracketStrategy::mesh);
}

TEST(BracketChoice, OneBusyReceiverChangesTheChoice) {
  BracketChoice choice = a_choice(256, false);
  Period period = uniform(4, 100, 1e-3);
  choice.decide(period);
  EXPECT_EQ(choice.current(), BracketStrategy::direct);
  period.pattern.busiest_receiver = {255, 25'500};
  choice.decide(period);
  EXPECT_NE(choice.current(), BracketStrategy::direct);
}

TEST(BracketChoice, TheShortestStepsStay) {
  for (const BracketStrategy fastest :
       {BracketStrategy::direct, BracketStrategy::stream, BracketStrategy::mesh, BracketStrategy::grid}) {
    BracketChoice choice = a_choice(64);
    const auto seen =
        settled(choice, 12, 300, [&](BracketStrategy it) { return it == fastest ? 8e-4 : 1e-3; });
    EXPECT_EQ(choice.current(), fastest);
    EXPECT_LE(seen.size(), std::set<BracketStrategy>(seen.begin(), seen.end()).size() + 1)
        << "one was tried twice";
  }
}

TEST(BracketChoice, WhatTheModelTakesToBeFarWorseIsNotTried) {
  BracketChoice choice = a_choice(512);
  for (const BracketStrategy it : settled(choice, 3, 50, [](BracketStrategy) { return 1e-3; }))
    EXPECT_TRUE(it == BracketStrategy::direct || it == BracketStrategy::stream) << to_text(it);
}

TEST(BracketChoice, LongPeriodsTryEachOnceAndSlowOnesEndAtOnce) {
  BracketChoice choice = a_choice(64);
  int slow = 0;
  for (int fence = 0; fence < 20; ++fence) {
    const bool is_slow = choice.current() != BracketStrategy::direct;
    slow += is_slow ? 1 : 0;
    choice.decide(uniform(12, 300, is_slow ? 3e-3 : 1e-3, fence % 2 == 0 ? 1000 : 10));
  }
  EXPECT_EQ(choice.current(), BracketStrategy::direct);
  EXPECT_LE(slow, 4);
}

TEST(BracketChoice, GoodOnesAreTriedAgainEachTimeLater) {
  BracketChoice choice = a_choice(64);
  std::vector<int> changes;
  BracketStrategy before = choice.current();
  for (int fence = 0; fence < 2000; ++fence) {
    choice.decide(uniform(12, 300, choice.current() == BracketStrategy::mesh ? 0.9e-3 : 1e-3));
    if (choice.current() != before && before == BracketStrategy::mesh)
      changes.push_back(fence);
    before = choice.current();
  }
  ASSERT_GE(changes.size(), 3U);
  ASSERT_LE(changes.size(), 12U);
  EXPECT_GT(changes.back() - changes[changes.size() - 2], changes[2] - changes[1]);
}

TEST(BracketChoice, PatternsAreKnownAgain) {
  BracketChoice choice = a_choice(64);
  const auto steps = [](BracketStrategy it) { return it == BracketStrategy::mesh ? 0.5e-3 : 1e-3; };
  settled(choice, 12, 300, steps);
  EXPECT_EQ(choice.current(), BracketStrategy::mesh);
  const auto other = [](BracketStrategy it) { return it == BracketStrategy::direct ? 1e-3 : 2e-3; };
  settled(choice, 2, 20'000, other);
  EXPECT_EQ(choice.current(), BracketStrategy::direct);
  choice.decide(uniform(12, 300, 1e-3)); // direct, in the first situation
  EXPECT_EQ(choice.current(), BracketStrategy::mesh);
}

TEST(BracketChoice, WhatAnEarlierJobHasFoundIsUsedAtOnce) {
  const auto steps = [](BracketStrategy it) { return it == BracketStrategy::mesh ? 0.5e-3 : 1e-3; };
  BracketChoice first = a_choice(64);
  EXPECT_TRUE(first.results().empty());
  settled(first, 12, 300, steps);
  settled(first, 2, 20'000, [](BracketStrategy it) { return it == BracketStrategy::direct ? 1e-3 : 2e-3; });
  const std::vector<FoundStrategy> found = first.results();
  ASSERT_EQ(found.size(), 2U);
  BracketChoice later(a_machine(), machine::Level::network, 64, {.may_try = true, .found = found});
  for (int fence = 0; fence < 20; ++fence) { // loads within the same factor of two
    later.decide(uniform(9 + fence % 3, 280 + fence, steps(later.current())));
    EXPECT_EQ(later.current(), BracketStrategy::mesh) << fence;
    EXPECT_NE(later.explanation().find("mesh is used, as an earlier job has found"), std::string::npos);
    later.decide(uniform(2, 20'000, 1e-3));
    EXPECT_EQ(later.current(), BracketStrategy::direct);
  }
  EXPECT_TRUE(later.results().empty()) << "nothing new was found";
  const auto seen = settled(later, 40, 300, steps);
  EXPECT_GT(std::set<BracketStrategy>(seen.begin(), seen.end()).size(), 1U) << "another situation is tried";
}

TEST(BracketChoice, WhatWasFoundIsNoReasonWhereTheModelAloneDecides) {
  BracketChoice choice(a_machine(), machine::Level::network, 512,
                       {.may_try = false, .found = {{2, 32, false, BracketStrategy::grid, 1e-9}}});
  choice.decide(uniform(3, 50, 1e-3));
  EXPECT_EQ(choice.current(), BracketStrategy::direct);
}

TEST(BracketChoice, AllRanksDecideAlikeWhateverTheyHaveSeen) {
  std::mt19937_64 random(4);
  const auto any = [&](double limit) { return std::uniform_real_distribution<double>(0, limit)(random); };
  BracketChoice one = a_choice(27);
  BracketChoice other = a_choice(27);
  for (int fence = 0; fence < 500; ++fence) {
    std::vector<RankPeriod> ranks;
    for (int rank = 0; rank < 27; ++rank)
      ranks.push_back({any(20), any(100), any(1e6), any(100), any(1e6), any(0.5)});
    if (random() % 10 == 0)
      ranks.assign(27, {});
    one.decide(period_of(ranks));
    other.decide(period_of(ranks));
    ASSERT_EQ(one.current(), other.current()) << fence;
    ASSERT_EQ(one.explanation(), other.explanation());
  }
}

TEST(Period, HasAveragesAndMaxima) {
  const std::vector<RankPeriod> ranks{{2, 6, 600, 2, 100, 0.1}, {2, 2, 200, 6, 700, 0.2}};
  const Period period = period_of(ranks);
  EXPECT_EQ(period.iterations, 2);
  EXPECT_EQ(period.pattern.mean.messages, 2);
  EXPECT_EQ(period.pattern.mean.bytes, 200);
  EXPECT_EQ(period.pattern.busiest_sender.messages, 3);
  EXPECT_EQ(period.pattern.busiest_receiver.bytes, 350);
  EXPECT_EQ(period.seconds, 0.1);
  const std::vector<RankPeriod> streamed{{2, 6, 600, 0, 0, 0.1}, {2, 2, 200, 0, 0, 0.2}};
  EXPECT_EQ(period_of(streamed).pattern.busiest_receiver.messages, 3);
}

/// Associations that each send 12 messages of 300 bytes a rank; the model lets all strategies be tried.
class ProgramOfTurns {
public:
  using Costs = std::map<BracketStrategy, double>; // seconds of a step

  explicit ProgramOfTurns(std::vector<Costs> costs) : costs_(std::move(costs)) {
    for (std::size_t number = 0; number < costs_.size(); ++number)
      choices_.emplace_back(a_machine(), machine::Level::network, 64, BracketChoice::Terms{});
  }
  /// Runs until the next fence. What elements do that move makes steps longer.
  void fence(bool have_moved = false, double more_seconds = 0) {
    double seconds = 1e-3 + more_seconds;
    for (std::size_t number = 0; number < costs_.size(); ++number)
      seconds += costs_[number].at(choices_[number].current());
    const model::Volume each{12, 12 * 300};
    std::vector<BracketTurns::Member> members;
    for (std::size_t number = 0; number < costs_.size(); ++number)
      members.push_back({number, &choices_[number], {10, {each, each, each}, seconds, 10 * seconds}});
    turns_.decide(members, have_moved);
  }
  BracketStrategy current(std::size_t number) const { return choices_[number].current(); }
  BracketStrategy best(std::size_t number) const {
    return std::ranges::min_element(costs_[number], {}, [](const auto& it) { return it.second; })->first;
  }

private:
  std::vector<Costs> costs_;
  std::vector<BracketChoice> choices_;
  BracketTurns turns_;
};

ProgramOfTurns::Costs costs_of(double direct, double stream, double mesh, double grid, double hypercube) {
  return {{BracketStrategy::direct, direct},
          {BracketStrategy::stream, stream},
          {BracketStrategy::mesh, mesh},
          {BracketStrategy::grid, grid},
          {BracketStrategy::hypercube, hypercube}};
}

// In lock step, all with one strategy, the sums are least with stream, which is neither's best.
TEST(BracketTurns, TwoAssociationsEndWithTheirOwnBest) {
  ProgramOfTurns program(
      {costs_of(1e-3, 1.6e-3, 6e-3, 6e-3, 6e-3), costs_of(6e-3, 1.6e-3, 1e-3, 6e-3, 6e-3)});
  for (int fence = 0; fence < 40; ++fence)
    program.fence();
  EXPECT_EQ(program.current(0), BracketStrategy::direct);
  EXPECT_EQ(program.current(1), BracketStrategy::mesh);
}

TEST(BracketTurns, OneAtATimeChanges) {
  ProgramOfTurns program({costs_of(1e-3, 2e-3, 3e-3, 4e-3, 5e-3), costs_of(5e-3, 4e-3, 3e-3, 2e-3, 1e-3),
                          costs_of(3e-3, 1e-3, 2e-3, 2e-3, 2e-3)});
  for (int fence = 0; fence < 300; ++fence) {
    std::vector<BracketStrategy> before;
    for (std::size_t number = 0; number < 3; ++number)
      before.push_back(program.current(number));
    program.fence();
    int changed = 0;
    for (std::size_t number = 0; number < 3; ++number)
      changed += program.current(number) != before[number] ? 1 : 0;
    ASSERT_LE(changed, 1) << fence;
  }
}

TEST(BracketTurns, ManyFindTheirOwnWhateverTheyCost) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<ProgramOfTurns::Costs> all;
    for (std::uint64_t number = 0; number < 1 + random() % 5; ++number) {
      std::vector<double> seconds{1e-3, 2e-3, 3e-3, 4e-3, 5e-3};
      std::ranges::shuffle(seconds, random);
      all.push_back(costs_of(seconds[0], seconds[1], seconds[2], seconds[3], seconds[4]));
    }
    ProgramOfTurns program(all);
    std::vector<int> right(all.size());
    for (int fence = 0; fence < 400; ++fence) {
      program.fence();
      for (std::size_t number = 0; fence >= 100 && number < all.size(); ++number)
        right[number] += program.current(number) == program.best(number) ? 1 : 0;
    }
    for (const int times : right)
      EXPECT_GT(times, 200) << "of 300 fences in round " << round; // in the others good ones are tried again
  }
}

// What was measured before elements moved is not compared with what is measured later.
TEST(BracketTurns, TrialsBeginAnewWhereElementsHaveMoved) {
  ProgramOfTurns program({costs_of(1e-3, 3e-3, 3e-3, 3e-3, 3e-3)});
  for (int fence = 0; fence < 3; ++fence)
    program.fence(false, 9e-3); // direct, and unbalanced
  program.fence(true);          // balanced: the one in use is the first to be measured again
  for (int fence = 0; fence < 30; ++fence)
    program.fence();
  EXPECT_EQ(program.current(0), BracketStrategy::direct);
}

} // namespace

// SPDX-License-Identifier: BSD-3-Clause

// Several associations of one program, of which fences know only what a step of all takes: each finds its own
// best strategy.

#include "objects/bracket_turns.hpp"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <random>

namespace {

using namespace thalweg;
using namespace thalweg::objects;
using machine::Figure;

machine::Machine machine_of_turns() {
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

/// Associations that each send 12 messages of 300 bytes a rank; the model lets all strategies be tried.
class ProgramOfTurns {
public:
  using Costs = std::map<Combining, double>; // seconds of a step

  explicit ProgramOfTurns(std::vector<Costs> costs) : costs_(std::move(costs)) {
    for (std::size_t number = 0; number < costs_.size(); ++number)
      choices_.emplace_back(machine_of_turns(), machine::Level::network, 64, BracketChoice::Terms{});
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
  Combining current(std::size_t number) const { return choices_[number].current(); }
  Combining best(std::size_t number) const {
    return std::ranges::min_element(costs_[number], {}, [](const auto& it) { return it.second; })->first;
  }

private:
  std::vector<Costs> costs_;
  std::vector<BracketChoice> choices_;
  BracketTurns turns_;
};

ProgramOfTurns::Costs costs_of(double direct, double stream, double mesh, double grid, double hypercube) {
  return {{Combining::direct, direct},
          {Combining::stream, stream},
          {Combining::mesh, mesh},
          {Combining::grid, grid},
          {Combining::hypercube, hypercube}};
}

// In lock step, all with one strategy, the sums are least with stream, which is neither's best.
TEST(BracketTurns, TwoAssociationsEndWithTheirOwnBest) {
  ProgramOfTurns program(
      {costs_of(1e-3, 1.6e-3, 6e-3, 6e-3, 6e-3), costs_of(6e-3, 1.6e-3, 1e-3, 6e-3, 6e-3)});
  for (int fence = 0; fence < 40; ++fence)
    program.fence();
  EXPECT_EQ(program.current(0), Combining::direct);
  EXPECT_EQ(program.current(1), Combining::mesh);
}

TEST(BracketTurns, OneAtATimeChanges) {
  ProgramOfTurns program({costs_of(1e-3, 2e-3, 3e-3, 4e-3, 5e-3), costs_of(5e-3, 4e-3, 3e-3, 2e-3, 1e-3),
                          costs_of(3e-3, 1e-3, 2e-3, 2e-3, 2e-3)});
  for (int fence = 0; fence < 300; ++fence) {
    std::vector<Combining> before;
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
  EXPECT_EQ(program.current(0), Combining::direct);
}

} // namespace

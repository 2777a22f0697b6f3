// SPDX-License-Identifier: BSD-3-Clause

// Random traffic between ranks: rounds end when nothing is left, and not before.

#include "objects/rounds.hpp"

#include <algorithm>
#include <deque>
#include <gtest/gtest.h>
#include <random>

namespace {

using thalweg::Rank;
using thalweg::objects::Counts;
using thalweg::objects::Rounds;
using thalweg::objects::Verdict;

/// Ranks that run messages in any order. A message makes others, less and less likely.
class Job {
public:
  Job(std::int32_t ranks, unsigned seed) : random_(seed), counts_(static_cast<std::size_t>(ranks)) {
    for (Rank rank = 0; rank < ranks; ++rank)
      rounds_.emplace_back(rank, ranks);
    for (int first = 0; first < 20; ++first)
      send(pick(), 8);
  }

  bool run_to_the_end() {
    for (int step = 0; step < 1'000'000 && !is_over_; ++step) {
      if (!messages_.empty() && random_() % 2 == 0)
        run_one();
      else
        report(pick());
    }
    return is_over_;
  }
  std::size_t left() const { return messages_.size(); }

private:
  struct Message {
    Rank to;
    int hops;
  };
  Rank pick() { return static_cast<Rank>(random_() % rounds_.size()); }
  void send(Rank from, int hops) {
    ++counts_[static_cast<std::size_t>(from)].sent;
    messages_.push_back({pick(), hops});
  }
  void run_one() {
    const std::size_t which = random_() % messages_.size();
    const Message message = messages_[which];
    messages_.erase(messages_.begin() + static_cast<std::ptrdiff_t>(which));
    ++counts_[static_cast<std::size_t>(message.to)].taken;
    for (int next = 0; next < 3; ++next)
      if (message.hops > 0 && random_() % 3 == 0)
        send(message.to, message.hops - 1);
  }
  void report(Rank rank) {
    Rounds& own = rounds_[static_cast<std::size_t>(rank)];
    if (!own.may_report())
      return;
    const Counts sums = own.report(counts_[static_cast<std::size_t>(rank)]);
    if (!own.is_root()) {
      rounds_[static_cast<std::size_t>(own.parent())].child_reports(sums);
      return;
    }
    is_over_ = own.judge(sums) == Verdict::quiet;
    for (Rounds& one : rounds_)
      one.next();
  }

  std::mt19937 random_;
  std::vector<Counts> counts_;
  std::vector<Rounds> rounds_;
  std::deque<Message> messages_;
  bool is_over_ = false;
};

TEST(Rounds, EndWhenNothingIsLeft) {
  for (std::int32_t ranks = 1; ranks <= 30; ++ranks)
    for (unsigned seed = 0; seed < 20; ++seed) {
      Job job(ranks, seed);
      ASSERT_TRUE(job.run_to_the_end()) << ranks << " ranks, seed " << seed;
      ASSERT_EQ(job.left(), 0U) << ranks << " ranks, seed " << seed;
    }
}

TEST(Rounds, AreATreeOfAllRanks) {
  for (std::int32_t ranks = 1; ranks <= 100; ++ranks) {
    std::vector<int> parents(static_cast<std::size_t>(ranks));
    for (Rank rank = 0; rank < ranks; ++rank) {
      const Rounds own(rank, ranks);
      for (const Rank child : own.children()) {
        ASSERT_EQ(Rounds(child, ranks).parent(), rank);
        ++parents[static_cast<std::size_t>(child)];
      }
    }
    EXPECT_EQ(std::ranges::count(parents, 1), ranks - 1);
  }
}

} // namespace

// SPDX-License-Identifier: BSD-3-Clause

// Random traffic between ranks: quiet() ends when nothing is left, and not before.

#include "simulated_group.hpp"

#include <deque>
#include <gtest/gtest.h>

namespace thalweg::control {
namespace {

/// Ranks that run messages in any order. A message makes others, less and less likely. Some messages are held
/// until all are told to release them.
class Traffic {
public:
  Traffic(std::int32_t ranks, std::uint32_t seed)
      : random_(seed), counts_(static_cast<std::size_t>(ranks)), queues_(counts_.size()) {
    for (int first = 0; first < 20; ++first)
      send(pick(), 8);
    for (Counts& one : counts_)
      one.held = random_() % 3 == 0 ? 64 : 0;
  }

  bool is_idle(Rank rank) const { return queues_[static_cast<std::size_t>(rank)].empty(); }
  Counts counts(Rank rank) const { return counts_[static_cast<std::size_t>(rank)]; }
  bool is_over() const {
    return on_the_way_.empty() &&
           std::ranges::all_of(queues_, [](const auto& queue) { return queue.empty(); });
  }
  bool holds_any() const {
    return std::ranges::any_of(counts_, [](const Counts& one) { return one.held > 0; });
  }
  void release(Rank rank) {
    if (std::exchange(counts_[static_cast<std::size_t>(rank)].held, 0) > 0)
      send(rank, 4);
  }
  void step() {
    if (random_() % 4 == 0)
      bring_one();
    else
      run_one(pick());
  }

private:
  struct Message {
    Rank to;
    int hops;
  };
  Rank pick() { return static_cast<Rank>(random_() % counts_.size()); }
  void send(Rank from, int hops) {
    ++counts_[static_cast<std::size_t>(from)].sent;
    on_the_way_.push_back({pick(), hops});
  }
  void bring_one() {
    if (on_the_way_.empty())
      return;
    std::swap(on_the_way_[random_() % on_the_way_.size()], on_the_way_.back());
    const Message message = on_the_way_.back();
    on_the_way_.pop_back();
    ++counts_[static_cast<std::size_t>(message.to)].taken;
    queues_[static_cast<std::size_t>(message.to)].push_back(message.hops);
  }
  void run_one(Rank rank) {
    auto& queue = queues_[static_cast<std::size_t>(rank)];
    if (queue.empty())
      return;
    const int hops = queue.front();
    for (int next = 0; next < 3; ++next)
      if (hops > 0 && random_() % 3 == 0)
        send(rank, hops - 1);
    queue.pop_front();
  }

  std::mt19937 random_;
  std::vector<Counts> counts_;
  std::vector<std::deque<int>> queues_;
  std::vector<Message> on_the_way_;
};

Task<void> watch(Control& control, Traffic& traffic) {
  const Rank rank = control.position();
  Verdict verdict = Verdict::release;
  while (verdict == Verdict::release) {
    verdict = co_await control.quiet([&, rank] { return traffic.is_idle(rank); },
                                     [&, rank] { return traffic.counts(rank); });
    EXPECT_NE(verdict, Verdict::again);
    if (verdict == Verdict::release)
      traffic.release(rank);
  }
  EXPECT_TRUE(traffic.is_over());
  EXPECT_FALSE(traffic.holds_any());
}

TEST(Quiescence, IsSeenWhenNothingIsLeft) {
  for (std::int32_t ranks = 1; ranks <= 17; ++ranks)
    for (std::uint32_t seed = 0; seed < 10; ++seed) {
      SimulatedGroup group(ranks, Below::eager, {});
      Traffic traffic(ranks, seed);
      std::vector<std::unique_ptr<TaskRun<void>>> runs;
      for (Rank rank = 0; rank < ranks; ++rank)
        runs.push_back(std::make_unique<TaskRun<void>>(group.of(rank), watch(group.of(rank), traffic)));
      std::mt19937 random(seed);
      const auto has_ended = [](const auto& run) { return run->has_ended(); };
      for (int step = 0; step < 1'000'000 && !std::ranges::all_of(runs, has_ended); ++step)
        if (random() % 2 == 0)
          traffic.step();
        else
          runs[random() % runs.size()]->look();
      ASSERT_TRUE(std::ranges::all_of(runs, has_ended)) << ranks << " ranks, seed " << seed;
      ASSERT_FALSE(HasFailure()) << ranks << " ranks, seed " << seed;
    }
}

TEST(Quiescence, TakesTwoRoundsWithTheSameSums) {
  Quiescence rounds;
  EXPECT_EQ(rounds.judge({5, 5, 0}), Verdict::again);
  EXPECT_EQ(rounds.judge({5, 5, 0}), Verdict::quiet);
  EXPECT_EQ(rounds.judge({5, 5, 0}), Verdict::again) << "the next one begins anew";
  EXPECT_EQ(rounds.judge({6, 5, 0}), Verdict::again);
  EXPECT_EQ(rounds.judge({6, 5, 0}), Verdict::again) << "one is on its way";
  EXPECT_EQ(rounds.judge({6, 6, 8}), Verdict::again);
  EXPECT_EQ(rounds.judge({6, 6, 8}), Verdict::release);
}

} // namespace
} // namespace thalweg::control

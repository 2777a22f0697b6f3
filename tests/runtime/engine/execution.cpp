// SPDX-License-Identifier: BSD-3-Clause

// What an execution asks of its transport, and when it does local work.

#include "engine/execution.hpp"

#include "schedule/buffers.hpp"
#include "strategies/index.hpp"
#include "strategies/prover.hpp"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

namespace thalweg::engine {
namespace {

using strategies::Strategy;

/// Sends some at once, and brings every message that is awaited.
class Recorder final : public transport::Batch {
public:
  Recorder(std::size_t at_once, const std::byte& own) : at_once_(at_once), own_(own) {}

  void reserve(std::size_t /*count*/) override {}
  void start_receive(std::uint32_t id, const transport::Message& message) override {
    receives(message);
    finished_.push_back(static_cast<int>(id));
  }
  void start_send(std::uint32_t id, const transport::Message& message) override {
    sent.push_back(message.peer);
    worked_before_sends |= has_worked();
    finished_.push_back(static_cast<int>(id));
  }
  std::span<const int> poll() override { return wait(); }
  std::span<const int> wait() override {
    reported_.swap(finished_);
    finished_.clear();
    return reported_;
  }
  bool all_finished() override { return true; }
  std::size_t send_at_once(std::span<const transport::Message> sends) override {
    worked_before_sends |= has_worked();
    const std::size_t count = std::min(at_once_, sends.size());
    for (const transport::Message& message : sends.first(count))
      sent.push_back(message.peer);
    return count;
  }
  void transfer(std::span<const transport::Message> receives,
                std::span<const transport::Message> sends) override {
    worked_before_waiting = has_worked();
    for (const transport::Message& message : receives)
      this->receives(message);
    for (const transport::Message& message : sends)
      sent.push_back(message.peer);
  }

  std::vector<Rank> sent;
  std::vector<Rank> received;
  bool worked_before_sends = false;
  bool worked_before_waiting = false;

private:
  bool has_worked() const { return own_ != std::byte{}; }
  void receives(const transport::Message& message) {
    received.push_back(message.peer);
    std::memset(message.data, message.peer, message.bytes);
  }

  std::size_t at_once_;
  const std::byte& own_;
  std::vector<int> finished_;
  std::vector<int> reported_;
};

class LocalWork : public testing::TestWithParam<bool> {};

TEST_P(LocalWork, IsDoneWhenWhatCanGoAtOnceHasGone) {
  constexpr std::int32_t ranks = 5;
  const Strategy& direct = strategies::find(schedule::Operation::alltoall, "direct");
  const schedule::Problem problem = obligations(direct, ranks, strategies::Roots::sample).front();
  const schedule::Schedule schedule = build(direct, problem, 0);
  const Plan plan(schedule, uniform_layouts(problem, schedule.pieces, 1, 1));
  for (std::size_t at_once = 0; at_once <= ranks; ++at_once) {
    std::vector<std::byte> input(ranks, std::byte{9});
    std::vector<std::byte> output(ranks);
    Recorder batch(at_once, output.front());
    Execution execution(plan, batch);
    execution.start({input.data(), output.data(), nullptr, nullptr}, TagSupply(1 << 16).for_call(), nullptr);
    if (GetParam())
      execution.run();
    else
      EXPECT_TRUE(execution.progress());
    std::ranges::sort(batch.sent);
    std::ranges::sort(batch.received);
    EXPECT_EQ(batch.sent, (std::vector<Rank>{1, 2, 3, 4}));
    EXPECT_EQ(batch.received, (std::vector<Rank>{1, 2, 3, 4}));
    EXPECT_FALSE(batch.worked_before_sends);
    EXPECT_EQ(batch.worked_before_waiting, GetParam());
    const std::vector<std::byte> expected{std::byte{9}, std::byte{1}, std::byte{2}, std::byte{3},
                                          std::byte{4}};
    EXPECT_EQ(output, expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, LocalWork, testing::Bool());

} // namespace
} // namespace thalweg::engine

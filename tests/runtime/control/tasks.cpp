// SPDX-License-Identifier: BSD-3-Clause

// What tasks promise besides results: what is begun leaves at once, and failures hold nobody up.

#include "base/error.hpp"
#include "simulated_group.hpp"

#include <gtest/gtest.h>

namespace thalweg::control {
namespace {

constexpr int max_looks = 10000;

/// Looks after one task until it has ended; false where it does not.
template <typename Value>
bool ends_alone(TaskRun<Value>& run) {
  for (int looks = 0; looks < max_looks && !run.has_ended(); ++looks)
    run.look();
  return run.has_ended();
}

class Beginning : public testing::TestWithParam<Below> {};

// So a rank may compute behind the beginning, and another one gets what it has sent.
TEST_P(Beginning, SendsWhatIsFirst) {
  SimulatedGroup group(2, GetParam(), {});
  TaskRun<std::vector<int>> first(group.of(0), group.of(0).allgather(10));
  TaskRun<std::vector<int>> second(group.of(1), group.of(1).allgather(11));
  ASSERT_TRUE(ends_alone(second)) << "rank 0 has not looked since it began";
  EXPECT_EQ(second.result(), (std::vector<int>{10, 11}));
  ASSERT_TRUE(ends_alone(first));
  EXPECT_EQ(first.result(), (std::vector<int>{10, 11}));
}

INSTANTIATE_TEST_SUITE_P(Over, Beginning, testing::Values(Below::eager, Below::aggregation));

int add_but_not(int a, int b, int refused) {
  if (a == refused || b == refused)
    throw Error("not this one", "give another");
  return a + b;
}

Task<int> sum_that_throws(Control& control, int refused) {
  co_return co_await control.allreduce(1, [refused](int a, int b) { return add_but_not(a, b, refused); });
}

TEST(Failures, OfACombinationAreThrownAtItsEndAndHoldNobodyUp) {
  for (std::int32_t ranks = 2; ranks <= 9; ++ranks) {
    SimulatedGroup group(ranks, Below::rendezvous, {});
    int failures = 0;
    for (const int refused : {1, 0}) { // the first sums fail on rank 0, the second on none
      std::vector<std::unique_ptr<TaskRun<int>>> runs;
      for (Rank rank = 0; rank < ranks; ++rank)
        runs.push_back(std::make_unique<TaskRun<int>>(
            group.of(rank), sum_that_throws(group.of(rank), rank == 0 ? refused : 0)));
      for (int looks = 0; looks < max_looks; ++looks)
        for (const auto& run : runs)
          run->look();
      for (Rank rank = 0; rank < ranks; ++rank) {
        TaskRun<int>& run = *runs[static_cast<std::size_t>(rank)];
        ASSERT_TRUE(run.has_ended()) << ranks << " ranks, rank " << rank;
        try {
          EXPECT_TRUE(run.result() == ranks || refused == 1);
        } catch (const Error& error) {
          EXPECT_EQ(error.problem(), "not this one");
          EXPECT_EQ(rank, 0);
          ++failures;
        }
      }
    }
    EXPECT_EQ(failures, 1) << ranks << " ranks";
  }
}

Task<int> fails_behind(Control& control, bool fails) {
  const int sum = co_await control.allreduce(1, std::plus{});
  if (fails)
    throw Error("on its own", "do better");
  co_return sum;
}

Task<int> passes_on(Control& control, bool fails) {
  try {
    co_return co_await fails_behind(control, fails);
  } catch (const Error&) {
    co_return -1;
  }
}

TEST(Failures, OfATaskComeToWhoeverAwaitsIt) {
  SimulatedGroup group(1, Below::eager, {});
  EXPECT_EQ(group.of(0).run(passes_on(group.of(0), false)), 1);
  EXPECT_EQ(group.of(0).run(passes_on(group.of(0), true)), -1);
  EXPECT_THROW(group.of(0).run(fails_behind(group.of(0), true)), Error);
  EXPECT_EQ(group.of(0).run(fails_behind(group.of(0), false)), 1) << "the group is as good as before";
}

Task<int> looks_for(int& looks) {
  const auto looking = [&looks] {
    if (--looks < 0)
      throw Error("looked too often", "come sooner");
    return looks == 0 ? wait::Look::reached : wait::Look::nothing;
  };
  Until reached(looking);
  co_await reached;
  co_return 7;
}

TEST(Failures, OfALookAreThrownInTheTask) {
  SimulatedGroup group(1, Below::eager, {});
  int looks = 3;
  EXPECT_EQ(group.of(0).run(looks_for(looks)), 7);
  EXPECT_EQ(looks, 0) << "it went on at the first look that reached what it looks for";
  TaskRun<int> late(group.of(0), looks_for(looks));
  ASSERT_TRUE(late.has_ended());
  EXPECT_THROW(late.result(), Error);
  looks = 2;
  TaskRun<int> later(group.of(0), looks_for(looks));
  EXPECT_FALSE(later.has_ended());
  looks = 0;
  ASSERT_TRUE(ends_alone(later));
  EXPECT_THROW(later.result(), Error);
}

} // namespace
} // namespace thalweg::control

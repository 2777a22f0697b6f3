// SPDX-License-Identifier: BSD-3-Clause

// Whoever waits lets others go on: at first now and then, and between any two pauses while they have
// something to do.

#include "wait/policy.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace thalweg::wait {
namespace {

// Others that have something to do in some visits, and a clock that no pause takes long on.
struct Others {
  std::vector<Visit> visits = {}; // what they find, one after the other; then they are idle
  std::vector<int> looks_at = {}; // looks that came before each visit
  int looks = 0;
  int sleeps = 0;
  int wanted = 0; // looks until the wait has reached what it waits for
};

struct QuickSystem : System {
  explicit QuickSystem(Others& all) : others(&all) {}
  void yield() {}
  void relax() {}
  void sleep_us(std::uint32_t) { ++others->sleeps; }
  Others* others;
};

void wait_with(Others& others, const Settings& settings = {.poll_us = 1'000'000}) {
  Policy policy;
  policy.polls = 2;
  policy.settings = settings;
  policy.context = &others;
  policy.progress_others = [](void* context) {
    auto& all = *static_cast<Others*>(context);
    all.looks_at.push_back(all.looks);
    const std::size_t visit = all.looks_at.size() - 1;
    return visit < all.visits.size() ? all.visits[visit] : Visit::idle;
  };
  auto look = [&others] { return ++others.looks == others.wanted ? Look::reached : Look::nothing; };
  until(policy, look, QuickSystem(others));
}

TEST(Until, VisitsIdleOthersNowAndThen) {
  Others others{.wanted = 200};
  wait_with(others);
  EXPECT_EQ(others.looks_at, (std::vector<int>{5, 69, 133, 197}));
}

TEST(Until, VisitsThemBetweenAnyTwoLooksWhileSomethingIsPendingOrMoves) {
  for (const Visit found : {Visit::pending, Visit::moved}) {
    Others others{.visits = std::vector<Visit>(10, found), .wanted = 40};
    wait_with(others);
    std::vector<int> expected;
    for (int visit = 0; visit <= 10; ++visit)
      expected.push_back(5 + visit);
    EXPECT_EQ(others.looks_at, expected);
  }
}

// What moves in every visit has moved whole once there were as many visits: no sleep comes between.
TEST(Until, SleepsNotWhileSomethingMoves) {
  Others others{.visits = std::vector<Visit>(500, Visit::moved), .wanted = 500};
  wait_with(others, {.poll_us = 0, .yield_us = 0});
  EXPECT_GE(others.looks_at.size(), 490U);
  EXPECT_LE(others.sleeps, 4);
}

TEST(Until, VisitsOthersAfterEachSleep) {
  Others others{.wanted = 20};
  wait_with(others, {.poll_us = 0, .yield_us = 0});
  EXPECT_EQ(others.looks_at.size(), static_cast<std::size_t>(others.sleeps) - 1) << "all but the last";
}

} // namespace
} // namespace thalweg::wait

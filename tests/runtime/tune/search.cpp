// SPDX-License-Identifier: BSD-3-Clause
#include "tune/search.hpp"

#include <gtest/gtest.h>

namespace thalweg::tune {
namespace {

using evidence::Decision;

TEST(Search, WantsABatchFirstAndAnotherWhenItIsToldSo) {
  Search search({.patience = 8, .batches = 2, .wider = 4}, 1e-3, false);
  EXPECT_TRUE(search.wants_batch());
  EXPECT_FALSE(search.may_widen()) << "the first comes first";
  EXPECT_EQ(search.ordering_seconds(), 1e-3);
  search.add_batch(2e-3);
  EXPECT_FALSE(search.wants_batch());
  EXPECT_EQ(search.ordering_seconds(), 8e-3) << "the next is wider";
  EXPECT_FALSE(search.has_all_batches());
  search.widen();
  EXPECT_TRUE(search.wants_batch());
  search.add_batch(8e-3);
  EXPECT_TRUE(search.has_all_batches());
  EXPECT_FALSE(search.may_widen());
}

TEST(Search, LosesPatienceWithCandidatesInARow) {
  Search search({.patience = 2, .batches = 1, .wider = 4}, 0, false);
  search.miss();
  search.gain();
  search.miss();
  EXPECT_TRUE(search.is_patient());
  search.miss();
  EXPECT_FALSE(search.is_patient());
  search.begin_anew(0);
  EXPECT_TRUE(search.is_patient());
}

TEST(Search, BeginsAnewEachTimeLater) {
  Search search({}, 0, true);
  std::uint64_t calls = 100;
  std::uint64_t wait = 0;
  for (int round = 0; round < 30; ++round) {
    EXPECT_TRUE(search.may_begin_anew(calls));
    search.begin_anew(calls);
    std::uint64_t next = calls + 1;
    while (!search.may_begin_anew(next))
      next = calls + 2 * (next - calls);
    EXPECT_GE(next - calls, wait);
    wait = next - calls;
    calls = next;
  }
  EXPECT_EQ(search.searches(), 31U);
}

TEST(Comparison, IsDecidedByWhoWinsAndIsToldLittleByAFirstLook) {
  Comparison comparison(1.03);
  EXPECT_EQ(comparison.add(1, 1.1, true).decision, Decision::open);
  const Comparison::Verdict hopeless = comparison.add(1, 4, true);
  EXPECT_EQ(hopeless.decision, Decision::surely_not);
  EXPECT_TRUE(hopeless.is_far_slower);
  comparison.begin();
  Decision decision = Decision::open;
  for (int pair = 0; pair < 48 && decision == Decision::open; ++pair)
    decision = comparison.add(1.2, 1, false).decision;
  EXPECT_EQ(decision, Decision::surely_faster);
  comparison.begin();
  EXPECT_EQ(comparison.add(1.2, 1, false).decision, Decision::open) << "nothing of before counts";
}

TEST(LevelWatch, NoticesALevelThatHasChangedForLongAndNoDisturbance) {
  LevelWatch watch;
  watch.begin();
  for (int look = 0; look < 8; ++look)
    EXPECT_FALSE(watch.changed(1));
  const std::uint32_t quiet = watch.calls_until_next();
  EXPECT_FALSE(watch.changed(9));
  EXPECT_FALSE(watch.changed(9));
  EXPECT_LT(watch.calls_until_next(), quiet) << "it looks closely";
  EXPECT_FALSE(watch.changed(1.4)) << "the disturbance is over";
  EXPECT_FALSE(watch.changed(0.5));
  EXPECT_FALSE(watch.changed(0.5));
  EXPECT_TRUE(watch.changed(0.5)) << "faster is a change as well";
  EXPECT_EQ(watch.looks(), 14U);
}

TEST(LevelWatch, LooksLessAndLessWhileNothingHappens) {
  LevelWatch watch;
  watch.begin();
  std::uint32_t before = 0;
  for (int look = 0; look < 20; ++look) {
    watch.changed(1);
    EXPECT_GE(watch.calls_until_next(), before);
    before = watch.calls_until_next();
  }
  EXPECT_EQ(before, 4096U);
}

} // namespace
} // namespace thalweg::tune

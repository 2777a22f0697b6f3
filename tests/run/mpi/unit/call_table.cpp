// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/call_table.hpp"

#include "mpi/observe/stopwatch.hpp"

#include <gtest/gtest.h>

namespace thalweg::mpi::observe {
namespace {

CallKey key(std::uintptr_t site, std::uint16_t function = 1, int ranks = 4, std::uint16_t phase = 0) {
  return {reinterpret_cast<const void*>(site), function, phase, ranks};
}

TEST(CallTable, FindsARowAgainHoweverMany) {
  CallTable table;
  for (std::uintptr_t site = 1; site <= 5000; ++site) {
    table.row(key(site * 16)).calls = site;
  }
  EXPECT_EQ(table.rows().size(), 5000U);
  for (std::uintptr_t site = 1; site <= 5000; ++site) {
    EXPECT_EQ(table.row(key(site * 16)).calls, site);
  }
  EXPECT_EQ(table.rows().size(), 5000U);
}

TEST(CallTable, KeepsFunctionsSizesAndPhasesApart) {
  CallTable table;
  const CallRow* row = &table.row(key(64));
  EXPECT_NE(row, &table.row(key(64, 2)));
  EXPECT_NE(row, &table.row(key(64, 1, 8)));
  EXPECT_NE(row, &table.row(key(64, 1, 4, 1)));
  EXPECT_EQ(row, &table.row(key(64)));
}

TEST(CallRow, CountsEndings) {
  static const char* const native = "native";
  static const char* const ring = "ring";
  CallRow row;
  for (const char* strategy : {native, ring, ring, native, ring}) {
    row.ended(strategy, nullptr);
  }
  ASSERT_EQ(row.endings.size(), 2U);
  for (const Ending& ending : row.endings) {
    EXPECT_EQ(ending.calls, ending.strategy == native ? 2U : 3U);
  }
}

TEST(Stopwatch, TimesWhatItMust) {
  CallRow row;
  for (int call = 0; call < 10; ++call) {
    row.untimed_left = 5;
    Stopwatch watch;
    watch.start(row, true);
    watch.stop(row);
    EXPECT_LE(watch.start_ticks(), watch.stop_ticks());
  }
  EXPECT_EQ(row.timed_calls, 10U);
}

// A call that others are notified of stops its watch before that, and leaves afterwards.
TEST(Stopwatch, StopsOnce) {
  CallRow row;
  Stopwatch watch;
  watch.start(row, true);
  watch.stop(row);
  const std::uint64_t taken = row.stood_ticks;
  const std::uint64_t stopped = watch.stop_ticks();
  watch.stop(row);
  EXPECT_EQ(row.timed_calls, 1U);
  EXPECT_EQ(row.stood_ticks, taken);
  EXPECT_EQ(watch.stop_ticks(), stopped);
}

} // namespace
} // namespace thalweg::mpi::observe

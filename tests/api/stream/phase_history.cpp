// SPDX-License-Identifier: BSD-3-Clause
#include "stream/statistics.hpp"

#include <gtest/gtest.h>

namespace thalweg::streams {
namespace {

void end_phases(PhaseHistory& history, std::uint64_t count) {
  for (std::uint64_t phase = 0; phase < count; ++phase) {
    Statistics done;
    done.waits = 1;
    done.max_overflow_bytes = phase;
    history.phase_ended(done);
    EXPECT_EQ(done.waits, 0U) << "the next phase begins with what this one did";
  }
}

TEST(PhaseHistory, HasNothingBeforeTheFirstEnd) {
  const PhaseHistory history;
  EXPECT_EQ(history.last().phases, 0U);
  EXPECT_EQ(history.total().phases, 0U);
  EXPECT_TRUE(history.kept().empty());
}

TEST(PhaseHistory, AddsUp) {
  PhaseHistory history;
  end_phases(history, 5);
  EXPECT_EQ(history.last().waits, 1U);
  EXPECT_EQ(history.last().max_overflow_bytes, 4U);
  EXPECT_EQ(history.total().phases, 5U);
  EXPECT_EQ(history.total().waits, 5U);
  EXPECT_EQ(history.total().max_overflow_bytes, 4U);
}

TEST(PhaseHistory, KeepsTheSameFewHoweverMany) {
  for (const std::uint64_t count : {1U, 2U, 16U, 17U, 18U, 33U, 1000U, 12345U}) {
    PhaseHistory history;
    end_phases(history, count);
    const std::vector<PhaseHistory::Phase> kept = history.kept();
    ASSERT_LE(kept.size(), PhaseHistory::capacity + 1);
    EXPECT_EQ(kept.front().number, 0U);
    EXPECT_EQ(kept.back().number, count - 1);
    for (std::size_t index = 2; index + 1 < kept.size(); ++index)
      EXPECT_EQ(kept[index].number - kept[index - 1].number, kept[1].number - kept[0].number);
  }
}

} // namespace
} // namespace thalweg::streams

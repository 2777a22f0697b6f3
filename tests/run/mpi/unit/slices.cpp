// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/slices.hpp"

#include "base/random.hpp"
#include "mpi/observe/slice_rows.hpp"

#include <gtest/gtest.h>
#include <numeric>
#include <tuple>

namespace thalweg::mpi::observe {
namespace {

constexpr std::uint64_t begin = 1'000'000;

std::uint64_t sum(const std::array<std::uint64_t, max_slices>& slices) {
  return std::accumulate(slices.begin(), slices.end(), std::uint64_t{0});
}

double sum(const std::vector<double>& slices) {
  return std::accumulate(slices.begin(), slices.end(), 0.0);
}

TEST(Slices, KeepAllTimeHoweverLongTheRunIs) {
  SliceTable table(begin);
  std::uint64_t now = begin;
  std::uint64_t all = 0;
  std::uint64_t meetings = 0;
  for (std::uint64_t call = 0; call < 5000; ++call) {
    now += mixed_hash(1, call) % 3'000'000;
    const std::uint64_t taken = mixed_hash(2, call) % (call % 50 == 0 ? 90'000'000 : 4000);
    const std::uint64_t weight = 1 + call % 3;
    table.add(now, now + taken, weight, call % 2 == 0);
    now += taken;
    all += taken * weight;
    meetings += call % 2 == 0 ? taken * weight : 0;
  }
  EXPECT_EQ(sum(table.all()), all);
  EXPECT_EQ(sum(table.meetings()), meetings);
  EXPECT_GE(table.width_ticks() * max_slices, now - begin);
  EXPECT_LT(table.width_ticks() * max_slices, 4 * (now - begin)) << "no wider than they need be";
}

TEST(Slices, SplitACallThatReachesOverSeveral) {
  SliceTable table(begin);
  const std::uint64_t width = table.width_ticks();
  table.add(begin + width / 2, begin + 3 * width + width / 4, 1, false);
  EXPECT_EQ(table.all()[0], width / 2);
  EXPECT_EQ(table.all()[1], width);
  EXPECT_EQ(table.all()[2], width);
  EXPECT_EQ(table.all()[3], width / 4);
}

TEST(Slices, KeepAllTimeInAnotherGrid) {
  RunSlices slices{100, 10, {}, {}};
  for (std::size_t index = 0; index < max_slices; ++index) {
    slices.all_ns.push_back(static_cast<double>(mixed_hash(5, index) % 10));
    slices.meetings_ns.push_back(slices.all_ns.back() / 2);
  }
  for (const auto& [from, width, count] :
       {std::tuple(90.0, 12.0, 100U), {100.0, 10.0, 100U}, {400.0, 7.0, 20U}}) {
    const RunSlices other = rebinned(slices, from, width, count);
    EXPECT_EQ(other.all_ns.size(), count);
    EXPECT_NEAR(sum(other.all_ns), sum(slices.all_ns), 1e-6);
    EXPECT_NEAR(sum(other.meetings_ns), sum(slices.meetings_ns), 1e-6);
  }
  EXPECT_EQ(rebinned(slices, 100, 10, max_slices).all_ns, slices.all_ns);
}

TEST(Slices, OfThreadsAddUp) {
  RunSlices all;
  add(all, {100, 10, std::vector<double>(max_slices, 1.0), std::vector<double>(max_slices, 0.5)});
  add(all, {100, 40, std::vector<double>(max_slices, 2.0), std::vector<double>(max_slices, 1.0)});
  EXPECT_DOUBLE_EQ(all.width_ns, 40);
  EXPECT_NEAR(sum(all.all_ns), 300, 1e-9);
  EXPECT_DOUBLE_EQ(all.all_ns[0], 6) << "four of the narrow ones";
}

TEST(SliceGrid, SharesRowsAmongManyRanks) {
  std::vector<RankProfile> ranks(150);
  for (int rank = 0; rank < 150; ++rank) {
    RankProfile& own = ranks[static_cast<std::size_t>(rank)];
    own.rank = rank;
    own.wall_ns = 1000;
    own.slices = {5000, 10, std::vector<double>(max_slices, 8.0), std::vector<double>(max_slices, 4.0)};
  }
  SliceGrid grid(ranks);
  for (std::size_t rank = 0; rank < 150; ++rank) {
    grid.add(rank, 5000, 10, 10); // nothing but waiting at first,
    grid.add(rank, 5500, 30, 0);  // and nothing of it later
  }
  const SliceRows found = grid.finish();
  ASSERT_EQ(found.rows.size(), max_slice_rows);
  EXPECT_DOUBLE_EQ(found.width_ns, 10);
  EXPECT_EQ(found.rows.front().first, 0);
  EXPECT_EQ(found.rows.back().last, 149);
  for (std::size_t row = 0; row < found.rows.size(); ++row) {
    if (row > 0) {
      EXPECT_EQ(found.rows[row].first, found.rows[row - 1].last + 1);
    }
    ASSERT_EQ(found.rows[row].mpi_ns.size(), max_slices);
    EXPECT_DOUBLE_EQ(found.rows[row].mpi_ns[7], 8);
    EXPECT_DOUBLE_EQ(found.rows[row].waiting_ns[0], 4);
    EXPECT_DOUBLE_EQ(found.rows[row].waiting_ns[50], 0);
    EXPECT_DOUBLE_EQ(found.rows[row].waiting_ns[7], 1) << "as in the whole run where nothing was sampled";
  }
}

} // namespace
} // namespace thalweg::mpi::observe

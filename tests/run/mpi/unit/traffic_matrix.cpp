// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/traffic_matrix.hpp"

#include <gtest/gtest.h>

namespace thalweg::mpi::observe {
namespace {

TEST(TrafficMatrix, HasARowForEachRankOfAJobThatIsNotLarge) {
  TrafficMatrix matrix(traffic_rows(4, 2));
  matrix.add(0, 0, {{1, 100, 1}, {2, 50, 5}});
  matrix.add(0, 0, {{1, 10, 1}});
  matrix.add(3, 1, {{0, 7, 1, true}}); // read: rank 0 has sent it
  const std::vector<TrafficSum> sums = matrix.heaviest(10);
  ASSERT_EQ(sums.size(), 3U);
  EXPECT_EQ(sums[0].to, 1);
  EXPECT_EQ(sums[0].bytes, 110U);
  EXPECT_EQ(sums[0].messages, 2U);
  EXPECT_EQ(sums[2].from, 0);
  EXPECT_EQ(sums[2].to, 3);
  EXPECT_DOUBLE_EQ(matrix.total_bytes(), 167);
  ASSERT_EQ(matrix.heaviest(1).size(), 1U);
  EXPECT_EQ(matrix.heaviest(1)[0].bytes, 110U);
}

TEST(TrafficMatrix, HasBoundedRowsHoweverManyNodesThereAre) {
  for (const int nodes : {1, 20, 1024, 1025, 9408, 100'000}) {
    const TrafficRows rows = traffic_rows(nodes * 64, nodes);
    EXPECT_LE(rows.size, 1024) << nodes;
    EXPECT_LT(rows.of(0, nodes - 1), rows.size) << nodes;
    EXPECT_EQ(rows.by_node, nodes * 64 > 1024);
  }
}

TEST(TrafficMatrix, HasTheRanksOfARow) {
  TrafficMatrix matrix(traffic_rows(2000, 2));
  matrix.add(5, 0, {});
  matrix.add(1999, 1, {});
  matrix.add(3, 0, {{1, 1, 1}});
  ASSERT_EQ(matrix.groups().size(), 2U);
  EXPECT_EQ(matrix.groups()[0], std::pair(3, 5));
  EXPECT_EQ(matrix.groups()[1], std::pair(1999, 1999));
}

TEST(TrafficMatrix, IsEmptyWhereNothingWasCounted) {
  TrafficMatrix matrix;
  matrix.add(0, 0, {{1, 1, 1}});
  EXPECT_TRUE(matrix.heaviest(10).empty());
}

} // namespace
} // namespace thalweg::mpi::observe

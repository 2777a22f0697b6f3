// SPDX-License-Identifier: BSD-3-Clause
#include "topology/bine.hpp"

#include <gtest/gtest.h>

namespace thalweg::topology {
namespace {

TEST(Bine, DistancesAreTheAlternatingSums) {
  EXPECT_EQ((std::vector{bine_distance(0), bine_distance(1), bine_distance(2), bine_distance(3),
                         bine_distance(4), bine_distance(5)}),
            (std::vector{0, 1, -1, 3, -5, 11}));
}

TEST(Bine, TheTreeOfEightIsThePapers) {
  EXPECT_EQ(bine_node(3, 0).children, (std::vector<Rank>{3, 7, 1}));
  EXPECT_EQ(bine_node(3, 3).children, (std::vector<Rank>{4, 2}));
  EXPECT_EQ(bine_node(3, 4).children, (std::vector<Rank>{5}));
  EXPECT_EQ(bine_node(3, 7).children, (std::vector<Rank>{6}));
  EXPECT_EQ(bine_subtree(3, 3), (std::pair<Rank, Rank>{2, 6}));
  EXPECT_EQ(bine_subtree(3, 7), (std::pair<Rank, Rank>{6, 8}));
}

} // namespace
} // namespace thalweg::topology

// SPDX-License-Identifier: BSD-3-Clause
#include "topology/dissemination.hpp"

#include <gtest/gtest.h>
#include <set>

namespace thalweg::topology {
namespace {

TEST(Dissemination, EveryRankHearsOfEveryOther) {
  for (std::int32_t size = 1; size <= 64; ++size)
    for (const std::int32_t radix : {2, 3, 4, 8, 64}) {
      // By symmetry it is enough to follow rank 0: what it knows is told by how far behind the others are.
      std::set<std::int32_t> known{0};
      for (int round = 0; round < dissemination_rounds(size, radix); ++round) {
        const std::set<std::int32_t> before = known;
        for (const std::int32_t offset : dissemination_offsets(size, radix, round))
          for (const std::int32_t behind : before)
            known.insert((behind + offset) % size);
      }
      EXPECT_EQ(known.size(), static_cast<std::size_t>(size)) << "radix " << radix;
    }
}

TEST(Dissemination, TellsEachRankAtMostOnceARound) {
  EXPECT_EQ(dissemination_rounds(9, 3), 2);
  EXPECT_EQ(dissemination_offsets(9, 3, 0), (std::vector<std::int32_t>{1, 2}));
  EXPECT_EQ(dissemination_offsets(9, 3, 1), (std::vector<std::int32_t>{3, 6}));
  EXPECT_EQ(dissemination_offsets(6, 4, 1), (std::vector<std::int32_t>{4}));
  EXPECT_TRUE(dissemination_offsets(1, 2, 0).empty());
}

} // namespace
} // namespace thalweg::topology

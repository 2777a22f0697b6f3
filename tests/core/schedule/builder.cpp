// SPDX-License-Identifier: BSD-3-Clause

// Scratch of a sub-group, in the blocks of the whole problem.

#include "schedule/builder.hpp"

#include <gtest/gtest.h>
#include <set>

namespace thalweg::schedule {
namespace {

TEST(Subgroup, HasScratchBlocksOfItsOwnInAnAlltoall) {
  constexpr std::int32_t ranks = 3;
  for (Rank rank = 0; rank < ranks; ++rank) {
    Problem problem;
    problem.operation = Operation::alltoall;
    problem.ranks = ranks;
    Builder whole(problem, rank, 1);
    Subproblem everybody{.problem = problem, .members = {0, 1, 2}, .input_units = {}, .output_units = {}};
    for (Rank unit = 0; unit < ranks; ++unit) {
      everybody.input_units.push_back(input(unit));
      everybody.output_units.push_back(output(unit));
    }
    Builder inner = whole.subgroup(everybody);
    for (const std::int32_t blocks : {1, 2, 4}) {
      const std::int32_t first = inner.scratch_blocks(blocks);
      inner.receive((rank + 1) % ranks, scratch(first, blocks));
    }
    const Schedule made = whole.finish();
    std::multiset<std::int32_t> written;
    for (const Step& step : made.steps)
      for_each_block(made.target(step), [&](Buffer, std::int32_t block) { written.insert(block); });
    EXPECT_EQ(written.size(), 7U) << rank;
    EXPECT_EQ(std::set(written.begin(), written.end()).size(), written.size()) << rank;
  }
}

} // namespace
} // namespace thalweg::schedule

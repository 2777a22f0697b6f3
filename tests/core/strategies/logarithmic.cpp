// SPDX-License-Identifier: BSD-3-Clause

// Logarithmic strategies stay logarithmic: at 65,536 ranks one rank's schedule has few steps and few block
// ranges, so it is built without ever walking over all ranks.

#include "strategies/index.hpp"

#include <gtest/gtest.h>

namespace thalweg::strategies {
namespace {

void expect_small(Operation operation, std::string_view name, std::int32_t ranks) {
  const Strategy& strategy = find(operation, name);
  Problem problem{.operation = operation, .ranks = ranks, .unit_bytes = 1 << 20};
  problem.parameters = resolve(strategy, {});
  for (const Rank rank : {0, 1, ranks / 2, ranks - 1}) {
    const schedule::Schedule schedule = build(strategy, problem, rank);
    EXPECT_LE(schedule.steps.size(), 150U) << name << ' ' << ranks;
    EXPECT_LE(schedule.ranges.size(), 400U) << name << ' ' << ranks;
  }
}

TEST(Logarithmic, ReductionsHaveFewStepsAndRanges) {
  for (const std::string_view name :
       {"recursive_doubling", "recursive_exchange", "rabenseifner", "swing", "bine"})
    expect_small(Operation::allreduce, name, 65536);
  for (const std::string_view name : {"recursive_halving", "butterfly", "swing", "bine"})
    expect_small(Operation::reduce_scatter, name, 65536);
}

TEST(Logarithmic, FoldingKeepsThemSo) {
  for (const std::string_view name : {"recursive_doubling", "recursive_exchange", "rabenseifner"})
    expect_small(Operation::allreduce, name, 60001);
  for (const std::string_view name : {"recursive_halving", "butterfly"})
    expect_small(Operation::reduce_scatter, name, 60001);
}

TEST(Logarithmic, TreesHaveFewStepsAndRanges) {
  for (const std::int32_t ranks : {60001, 65536}) {
    for (const std::string_view name : {"kary", "knomial", "bine", "double_tree"})
      expect_small(Operation::broadcast, name, ranks);
    for (const std::string_view name :
         {"kary", "knomial", "bine", "double_tree", "inorder_binary", "rabenseifner"})
      expect_small(Operation::reduce, name, ranks);
    for (const Operation operation : {Operation::gather, Operation::scatter})
      for (const std::string_view name : {"kary", "knomial", "bine"})
        expect_small(operation, name, ranks);
    for (const std::string_view name : {"dissemination", "kary", "knomial", "recursive_doubling"})
      expect_small(Operation::barrier, name, ranks);
    for (const Operation operation : {Operation::scan, Operation::exscan})
      expect_small(operation, "recursive_doubling", ranks);
  }
}

} // namespace
} // namespace thalweg::strategies

// SPDX-License-Identifier: BSD-3-Clause

// Logarithmic strategies stay logarithmic: one rank's schedule on tens of thousands of ranks is a few dozen
// steps and a few hundred block ranges, also where ranks are no power of anything. (How long building takes:
// labs/schedules.)

#include "base/arithmetic.hpp"
#include "strategies/index.hpp"

#include <gtest/gtest.h>

namespace thalweg::strategies {
namespace {

struct Logarithmic {
  Operation operation;
  std::string_view name;
};

class Length : public testing::TestWithParam<Logarithmic> {};

TEST_P(Length, IsLogarithmicInRanks) {
  const Strategy& strategy = find(GetParam().operation, GetParam().name);
  for (const std::int32_t ranks : {4096, 5000, 65521, 65536, 70000}) {
    Problem problem;
    problem.operation = strategy.operation;
    problem.ranks = ranks;
    problem.parameters = resolve(strategy, {});
    const auto stages = static_cast<std::size_t>(ceil_log(2, ranks));
    for (const Rank rank : {0, 1, ranks / 3, ranks - 1}) {
      const schedule::Schedule schedule = build(strategy, problem, rank);
      EXPECT_LE(schedule.steps.size(), 4 * stages + 4) << ranks << " ranks, rank " << rank;
      EXPECT_LE(schedule.ranges.size(), 5 * stages * stages) << ranks << " ranks, rank " << rank;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Index, Length,
    testing::Values(Logarithmic{Operation::alltoall, "bruck"}, Logarithmic{Operation::alltoall, "hypercube"},
                    Logarithmic{Operation::allgather, "bruck"}, Logarithmic{Operation::allgather, "sparbit"},
                    Logarithmic{Operation::allgather, "hypercube"},
                    Logarithmic{Operation::allgather, "hybrid_hypercube"},
                    Logarithmic{Operation::allgather, "knomial"}),
    [](const auto& instance) {
      return std::string(schedule::name(instance.param.operation)) + "_" + std::string(instance.param.name);
    });

} // namespace
} // namespace thalweg::strategies

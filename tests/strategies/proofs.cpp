// Every strategy of the index is proven for every number of ranks up to 70 and a sample beyond: this one test
// is the strategies' test, and a new strategy is covered the day it stands in the index.

#include "strategies/prover.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace thalweg::strategies {

void PrintTo(const Strategy* strategy, std::ostream* stream) {
  *stream << strategy->summary;
}

namespace {

class Proof : public testing::TestWithParam<const Strategy*> {
protected:
  void prove_for(std::int32_t ranks, Roots roots) {
    for (const Problem& problem : obligations(*GetParam(), ranks, roots))
      for (const std::string& fault : prove(*GetParam(), problem))
        ADD_FAILURE() << fault;
  }
};

TEST_P(Proof, HoldsForSmallRankCounts) {
  std::size_t proven = 0;
  for (std::int32_t ranks = 1; ranks <= 20 && !HasFailure(); ++ranks) {
    proven += obligations(*GetParam(), ranks, Roots::all).size();
    prove_for(ranks, Roots::all);
  }
  EXPECT_GT(proven, 0U) << "the strategy refuses everything";
}

TEST_P(Proof, HoldsForMediumRankCounts) {
  for (std::int32_t ranks = 21; ranks <= 70 && !HasFailure(); ++ranks)
    prove_for(ranks, Roots::sample);
}

TEST_P(Proof, HoldsForSampledLargeRankCounts) {
  for (const std::int32_t ranks : {96, 127, 128, 129, 255, 300, 343, 512, 729, 1000, 1024}) {
    if (HasFailure())
      return;
    const std::vector<Problem> problems = obligations(*GetParam(), ranks, Roots::sample);
    if (problems.empty())
      continue;
    // The larger, the fewer: one problem a size, a different one each time.
    const Problem& problem = problems[static_cast<std::size_t>(ranks) % problems.size()];
    if (ranks > 300 && build(*GetParam(), problem, 0).steps.size() > 600)
      continue;
    for (const std::string& fault : prove(*GetParam(), problem))
      ADD_FAILURE() << fault;
  }
}

// The obligations vary one parameter at a time, and where segments are off by default a window is idle then.
TEST(Windows, HoldWithSegments) {
  std::size_t proven = 0;
  for (const Strategy& strategy : all()) {
    if (strategy.name != "ring" && strategy.name != "segmented_ring" && strategy.name != "segmented_cyclic")
      continue;
    if (std::ranges::find(strategy.parameters, "segment", &Parameter::name) == strategy.parameters.end())
      continue;
    for (const std::int64_t window : {1, 2, 3, 7, 100})
      for (std::int32_t ranks = 1; ranks <= 9; ++ranks) {
        Problem problem{.operation = strategy.operation, .ranks = ranks};
        problem.unit_bytes = 1000;
        problem.parameters = resolve(strategy, {{"segment", 100}, {"window", window}});
        ++proven;
        for (const std::string& fault : prove(strategy, problem))
          ADD_FAILURE() << fault;
      }
  }
  EXPECT_EQ(proven, 4U * 5 * 9);
}

std::vector<const Strategy*> pointers() {
  std::vector<const Strategy*> result;
  for (const Strategy& strategy : all())
    result.push_back(&strategy);
  return result;
}

INSTANTIATE_TEST_SUITE_P(Index, Proof, testing::ValuesIn(pointers()), [](const auto& instance) {
  return std::string(schedule::name(instance.param->operation)) + "_" + std::string(instance.param->name);
});

} // namespace
} // namespace thalweg::strategies

// SPDX-License-Identifier: BSD-3-Clause

// Every strategy of the index is proven for every number of ranks up to 70 and a sample beyond: this one test
// is the strategies' test, and a new strategy is covered the day it stands in the index.

#include "index_pointers.hpp"
#include "strategies/prover.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <system_error>

namespace thalweg::strategies {

void PrintTo(const Strategy* strategy, std::ostream* stream) {
  *stream << strategy->summary;
}

namespace {

/// THALWEG_PROOFS="1/3 alltoall_ring ..." limits proofs for many ranks to every third rank count, from the
/// second, but for the strategies named. Without it all are made.
struct Share {
  int first = 0;
  int every = 1;
};

Share share_of(const Strategy& strategy) {
  const char* variable = std::getenv("THALWEG_PROOFS");
  const std::string_view text = variable != nullptr ? variable : "";
  const std::string name = std::string(schedule::name(strategy.operation)) + "_" + std::string(strategy.name);
  if (text.empty() || (std::string(text) + " ").find(" " + name + " ") != std::string::npos)
    return {};
  Share share;
  const char* const end = text.data() + text.size();
  const auto [slash, first_error] = std::from_chars(text.data(), end, share.first);
  const bool is_fraction = first_error == std::errc() && slash != end && *slash == '/' &&
                           std::from_chars(slash + 1, end, share.every).ec == std::errc() && share.every > 0;
  EXPECT_TRUE(is_fraction) << "THALWEG_PROOFS=" << text << ": wanted is K/N and names of strategies";
  return is_fraction ? share : Share{};
}

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
  const Share share = share_of(*GetParam());
  for (std::int32_t ranks = 21 + share.first; ranks <= 70 && !HasFailure(); ranks += share.every)
    prove_for(ranks, Roots::sample);
}

TEST_P(Proof, HoldsForSampledLargeRankCounts) {
  const Share share = share_of(*GetParam());
  constexpr std::array sampled{96, 127, 128, 129, 255, 300, 343, 512, 729, 1000, 1024};
  for (std::size_t i = static_cast<std::size_t>(share.first); i < sampled.size();
       i += static_cast<std::size_t>(share.every)) {
    if (HasFailure())
      return;
    const std::int32_t ranks = sampled[i];
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

INSTANTIATE_TEST_SUITE_P(Index, Proof, testing::ValuesIn(index_pointers()), [](const auto& instance) {
  return std::string(schedule::name(instance.param->operation)) + "_" + std::string(instance.param->name);
});

} // namespace
} // namespace thalweg::strategies

// SPDX-License-Identifier: BSD-3-Clause

// Does the verifier catch planted faults? Every strategy's schedules are made slightly wrong in many ways;
// each mutant must be rejected, or be shown to do the same by running it for real in an interpreter that
// knows nothing of the verifier.

#include "index_pointers.hpp"
#include "mutants.hpp"
#include "oracle.hpp"
#include "strategies/prover.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace thalweg::strategies {

namespace {

constexpr int problems_per_size = 3;
constexpr int mutants_per_size = 150;
constexpr int timings_per_mutant = 8;
/// Of so many rejected mutants one is run too, to see that the interpreter does notice faults.
constexpr int sampled_rejections = 10;

bool is_rejected(const Strategy& strategy, const Problem& problem, const schedule::Verdict& verdict) {
  return !verdict.proven() || (!problem.commutative && !verdict.in_rank_order) ||
         !verdict.same_on_all_ranks || (strategy.unequal_blocks && !verdict.exact_shapes);
}

std::optional<std::string> what_goes_wrong_sometimes(const Problem& problem,
                                                     const std::vector<schedule::Schedule>& schedules,
                                                     std::uint64_t seed) {
  for (int i = 0; i < timings_per_mutant; ++i) {
    const Rank late = problem.operation == schedule::Operation::barrier ? i % problem.ranks : -1;
    if (auto wrong =
            what_goes_wrong(problem, schedules, {seed + static_cast<std::uint64_t>(i), i % 2 == 0, late}))
      return wrong;
  }
  return std::nullopt;
}

/// Some of the strategy's proof obligations, half of them in place where it supports that.
std::vector<Problem> sample(const Strategy& strategy, std::int32_t ranks, std::mt19937_64& random) {
  std::vector<Problem> all = obligations(strategy, ranks, Roots::all);
  std::ranges::shuffle(all, random);
  all.resize(std::min<std::size_t>(all.size(), problems_per_size));
  for (Problem& problem : all)
    problem.in_place = strategy.in_place && random() % 2 == 0;
  return all;
}

class Mutation : public testing::TestWithParam<const Strategy*> {};

TEST_P(Mutation, IsRejectedOrDoesTheSame) {
  const Strategy& strategy = *GetParam();
  std::mt19937_64 random(20050101);
  int rejected = 0;
  int confirmed = 0;
  int equivalent = 0;
  for (std::int32_t ranks = 2; ranks <= 9; ++ranks) {
    const std::vector<Problem> problems = sample(strategy, ranks, random);
    for (const Problem& problem : problems) {
      SCOPED_TRACE(describe(strategy, problem));
      const std::vector<schedule::Schedule> schedules = build_all(strategy, problem);
      EXPECT_EQ(what_goes_wrong_sometimes(problem, schedules, 1).value_or(""), "")
          << "without any fault planted";
      for (int i = 0; i < mutants_per_size / std::ssize(problems); ++i) {
        const std::optional<Mutant> mutant = plant_fault(schedules, random);
        if (!mutant)
          continue;
        if (is_rejected(strategy, problem, schedule::verify(problem, mutant->schedules))) {
          if (rejected++ % sampled_rejections == 0)
            confirmed += what_goes_wrong_sometimes(problem, mutant->schedules, 1) ? 1 : 0;
          continue;
        }
        ++equivalent;
        const auto wrong =
            what_goes_wrong_sometimes(problem, mutant->schedules, static_cast<std::uint64_t>(i) * 100);
        EXPECT_FALSE(wrong) << "the verifier accepts a mutant (" << mutant->fault << ", rank " << mutant->rank
                            << " step " << mutant->step << ") although " << *wrong;
      }
    }
  }
  RecordProperty("rejected", rejected);
  RecordProperty("equivalent", equivalent);
  RecordProperty("confirmed", confirmed);
  EXPECT_GT(confirmed * sampled_rejections, rejected / 2)
      << "the interpreter hardly ever sees what the verifier rejects";
  EXPECT_GT(rejected, equivalent / 2) << "hardly any fault is noticed";
}

INSTANTIATE_TEST_SUITE_P(Index, Mutation, testing::ValuesIn(index_pointers()), [](const auto& instance) {
  return std::string(schedule::name(instance.param->operation)) + "_" + std::string(instance.param->name);
});

} // namespace
} // namespace thalweg::strategies

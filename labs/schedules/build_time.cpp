// SPDX-License-Identifier: BSD-3-Clause

// How long it takes to build one rank's schedule on many ranks. Claim: at 65,536 ranks any rank's schedule of
// a logarithmic strategy takes less than 1 ms. Rows show steps and block ranges beside the time; strategies
// whose steps grow with the ranks are shown at 1,024.
//
//   bench_build_time --benchmark_filter=65536

#include "strategies/index.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

namespace {

using thalweg::Rank;
using thalweg::strategies::Problem;
using thalweg::strategies::Strategy;

constexpr std::int32_t many_ranks = 65536;
constexpr std::int32_t some_ranks = 1024;
/// A schedule of at most this many steps at `some_ranks` grows with the logarithm (or a small root) of the
/// ranks.
constexpr std::size_t few_steps = 100;

Problem problem_of(const Strategy& strategy, std::int32_t ranks) {
  Problem problem;
  problem.operation = strategy.operation;
  problem.ranks = ranks;
  problem.unit_bytes = 8;
  problem.parameters = thalweg::strategies::resolve(strategy, {});
  return problem;
}

/// Ranks in turn, so that no rank's special place decides.
void build_schedules(benchmark::State& state, const Strategy& strategy, std::int32_t ranks) {
  const Problem problem = problem_of(strategy, ranks);
  std::int64_t at = 0;
  thalweg::schedule::Schedule schedule;
  for (auto _ : state) {
    at = (at + 40503) % ranks;
    schedule = build(strategy, problem, static_cast<Rank>(at));
    benchmark::DoNotOptimize(schedule.steps.data());
  }
  state.counters["steps"] = static_cast<double>(schedule.steps.size());
  state.counters["ranges"] = static_cast<double>(schedule.ranges.size());
}

void register_strategy(const Strategy& strategy) {
  const auto add = [&](std::int32_t ranks) {
    if (unsupported_reason(strategy, problem_of(strategy, ranks)))
      return;
    const std::string name =
        fmt::format("{}/{}/{}", thalweg::schedule::name(strategy.operation), strategy.name, ranks);
    benchmark::RegisterBenchmark(
        name.c_str(),
        [&strategy, ranks](benchmark::State& state) { build_schedules(state, strategy, ranks); })
        ->Unit(benchmark::kMicrosecond)
        ->MinTime(0.05);
  };
  add(some_ranks);
  const Problem problem = problem_of(strategy, some_ranks);
  if (!unsupported_reason(strategy, problem) && build(strategy, problem, 1).steps.size() <= few_steps)
    add(many_ranks);
}

bool has_neighbors(const Strategy& strategy) {
  using thalweg::schedule::Operation;
  return strategy.operation == Operation::neighbor_allgather ||
         strategy.operation == Operation::neighbor_alltoall;
}

} // namespace

int main(int count, char** arguments) {
  for (const Strategy& strategy : thalweg::strategies::all())
    if (!has_neighbors(strategy)) // their schedules do not depend on the number of ranks
      register_strategy(strategy);
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments))
    return 1;
  benchmark::RunSpecifiedBenchmarks();
}

// SPDX-License-Identifier: BSD-3-Clause
#include "model/closed_forms.hpp"

#include "base/arithmetic.hpp"
#include "model/predict.hpp"
#include "strategies/prover.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace thalweg::model {
namespace {

using machine::Figure;
using machine::Machine;

// A machine of random figures, with one range of sizes, without bursts and without what ranks do to one
// another: messages that come unexpected, meet others or share a link are in no equation.
Machine random_machine(std::mt19937& random) {
  const auto between = [&](double low, double high) {
    return std::exp(std::uniform_real_distribution<double>(std::log(low), std::log(high))(random));
  };
  const auto figure = [&](double low, double high) {
    const double value = between(low, high);
    return Figure{value, value, value};
  };
  Machine machine;
  machine.cores = 1024;
  machine::MessageCost cost;
  cost.bytes_max = INT64_MAX;
  cost.latency = figure(1e-6, 1e-4);
  cost.send = figure(2e-7, 2e-5);
  cost.send_per_byte = figure(1e-11, 1e-9);
  cost.receive = figure(2e-7, 2e-5);
  cost.receive_per_byte = figure(1e-11, 1e-9);
  cost.gap = figure(1e-8, 1e-6);
  cost.gap_per_byte = figure(1e-10, 1e-7);
  machine.levels = {{machine::Level::network, {cost}, 0}};
  machine.copy = {{INT64_MAX, figure(2e-11, 2e-10)}};
  machine.combine = {{INT64_MAX, figure(4e-11, 4e-10)}};
  machine.step = figure(1e-9, 5e-8);
  return machine;
}

// The default parameters, and each other proven value of one of them.
std::vector<schedule::Parameters> parameter_sets(const strategies::Strategy& strategy) {
  std::vector<schedule::Parameters> sets{strategies::resolve(strategy, {})};
  for (const strategies::Parameter& parameter : strategy.parameters)
    for (const std::int64_t value : parameter.proven_at)
      sets.push_back(strategies::resolve(strategy, {{std::string(parameter.name), value}}));
  return sets;
}

// Ranks for which the strategy's tree, mesh or cube is full.
bool is_full(const strategies::Strategy& strategy, const schedule::Problem& problem) {
  if (strategy.name == "mesh2d" || strategy.name == "mesh3d") {
    const int dimensions = strategy.name == "mesh2d" ? 2 : 3;
    return power(ceil_root(problem.ranks, dimensions), dimensions) == problem.ranks;
  }
  for (const auto& [name, value] : problem.parameters) {
    if (name == "radix" && power(value, ceil_log(value, problem.ranks)) != problem.ranks)
      return false;
    std::int64_t ranks = 1;
    for (std::int64_t level = value; name == "degree" && ranks < problem.ranks; level *= value)
      ranks += level;
    if (name == "degree" && ranks != problem.ranks)
      return false;
  }
  return is_power_of_two(problem.ranks) || strategy.name == "kary" ||
         std::ranges::any_of(problem.parameters, [](const auto& one) { return one.first != "order"; });
}

// How far an equation may be from the simulation, which knows of messages that come before a rank has sent
// the last (chains in segments, where it adds up along the ranks: that equation is a rough one), of ranks
// that need not pack as others do (Bruck's all-gather), of messages that lie in a row at one end (combining
// all-to-alls), and of receives that are posted while messages are under way (gather).
struct Tolerance {
  double below = 0.02;
  double above = 0.02;
};
Tolerance tolerance(const strategies::Strategy& strategy) {
  if (strategy.name == "chain")
    return {.below = 0.7, .above = 0.4};
  if (strategy.operation == schedule::Operation::alltoall)
    return {.below = 0.01, .above = 0.1};
  if (strategy.operation == schedule::Operation::allgather && strategy.name == "bruck")
    return {.below = 0.1, .above = 0.3};
  if (strategy.operation == schedule::Operation::gather)
    return {.below = 0.01, .above = 0.05};
  return {};
}

class ClosedForms : public testing::TestWithParam<std::int32_t> {};

TEST_P(ClosedForms, AgreeWithSimulations) {
  const std::int32_t ranks = GetParam();
  std::vector<std::int32_t> nodes(static_cast<std::size_t>(ranks));
  std::iota(nodes.begin(), nodes.end(), 0);
  for (const strategies::Strategy& strategy : strategies::all())
    for (const schedule::Parameters& parameters : parameter_sets(strategy)) {
      schedule::Problem problem;
      problem.operation = strategy.operation;
      problem.ranks = ranks;
      problem.parameters = parameters;
      for (const std::int64_t bytes : {0, 64, 4096, 262144}) {
        problem.unit_bytes = bytes;
        const std::string what = fmt::format("{}, {} bytes", strategies::describe(strategy, problem), bytes);
        // A case's machine is its own, whatever other cases there are.
        std::seed_seq seed(what.begin(), what.end());
        std::mt19937 random(seed);
        const Machine machine = random_machine(random);
        const auto form = closed_form(strategy.name, problem, machine);
        if (strategies::unsupported_reason(strategy, problem) || !form || !is_full(strategy, problem))
          continue;
        const double simulated =
            predict(strategies::build_all(strategy, problem), bytes, {machine, nodes}).seconds;
        const auto [below, above] = tolerance(strategy);
        EXPECT_GE(form->seconds, simulated * (1 - below)) << what;
        EXPECT_LE(form->seconds, simulated * (1 + above)) << what;
      }
    }
}

TEST(ClosedForm, IsMissingWhereThereIsNoEquation) {
  const Machine machine = machine::default_machine();
  schedule::Problem problem;
  problem.operation = schedule::Operation::allreduce;
  problem.ranks = 8;
  problem.unit_bytes = 64;
  EXPECT_FALSE(closed_form("two_level", problem, machine));
  problem.parameters = {{"segment", 1024}};
  EXPECT_FALSE(closed_form("recursive_doubling", problem, machine));
  problem.parameters = {{"segment", 0}};
  const auto form = closed_form("recursive_doubling", problem, machine);
  ASSERT_TRUE(form);
  EXPECT_FALSE(form->source.empty());
  problem.ranks = 7;
  EXPECT_FALSE(closed_form("recursive_doubling", problem, machine));
  problem.ranks = 1;
  EXPECT_FALSE(closed_form("recursive_doubling", problem, machine));
}

// Equations hold for numbers of ranks for which nobody builds schedules: a doubling adds a round.
TEST(ClosedForm, GrowsByARoundWithEachDoubling) {
  const Machine machine = machine::default_machine();
  schedule::Problem problem;
  problem.operation = schedule::Operation::barrier;
  problem.parameters = {{"radix", 2}};
  problem.ranks = 2;
  const double round = closed_form("dissemination", problem, machine)->seconds;
  problem.ranks = 1 << 20;
  EXPECT_NEAR(closed_form("dissemination", problem, machine)->seconds, 20 * round, 1e-9 * round);
}

// A processor that takes alpha for a message and beta for a byte, and nothing else.
Machine machine_of(double alpha, double beta) {
  machine::MessageCost cost;
  cost.bytes_max = INT64_MAX;
  cost.send = Figure{alpha, alpha, alpha};
  cost.send_per_byte = Figure{beta, beta, beta};
  Machine machine;
  machine.step = Figure{};
  machine.levels = {{machine::Level::network, {cost}, 0}};
  return machine;
}

/// A closed form on such a machine, by its messages and its units.
struct Number {
  std::string_view equation;
  schedule::Operation operation;
  std::string_view strategy;
  schedule::Parameters parameters;
  std::int32_t ranks;
  double messages;
  double units;
};

// With ranks for which meshes and cubes are full, and others: 60 is an 8x8 mesh with 4 holes and a 4x4x4 one,
// 48 is half a cube on top of one of 32.
TEST(ClosedForm, HasTheEquationsNumbers) {
  using enum schedule::Operation;
  const std::vector<Number> numbers{{"3.1", alltoall, "direct", {}, 64, 63, 63},
                                    {"3.2", alltoall, "mesh2d", {}, 64, 2 * 7, 2 * 7 * 8},
                                    {"3.3", allgather, "mesh2d", {}, 64, 2 * 7, 63},
                                    {"3.4", alltoall, "mesh2d", {}, 60, 2 * 7, 2 * 60},
                                    {"3.5", allgather, "mesh2d", {}, 60, 2 * 7, 61},
                                    {"3.6", alltoall, "mesh3d", {}, 64, 3 * 3, 3 * 3 * 16},
                                    {"3.7", allgather, "mesh3d", {}, 64, 3 * 3, 63},
                                    {"3.8", alltoall, "mesh3d", {}, 60, 3 * 3, 3 * 60 + 16},
                                    {"3.9", allgather, "mesh3d", {}, 60, 3 * 3, 60 + 2 * 4},
                                    {"3.10", alltoall, "hypercube", {}, 64, 6, 6 * 32},
                                    {"3.11", allgather, "hypercube", {}, 64, 6, 63},
                                    {"3.12", alltoall, "hypercube", {}, 48, 2 * 5, 5 * 48},
                                    {"3.13", allgather, "hypercube", {}, 48, 5 + 1, 2 * 47},
                                    {"3.16", allgather, "hybrid_hypercube", {{"z", 3}}, 64, 3 + 7, 7 + 7 * 8},
                                    {"4.3", allgather, "ring", {{"segment", 0}}, 64, 63, 63},
                                    {"4.4", allgather, "prefix", {{"window", 1}, {"barrier", 0}}, 64, 63, 63},
                                    {"4.5", allgather, "k_prefix", {{"k", 8}, {"barrier", 0}}, 60, 59, 59},
                                    {"4.6", allgather, "k_shift", {{"k", 5}, {"barrier", 0}}, 60, 59, 59}};
  constexpr double alpha = 1e-3; // against rounding of bytes
  constexpr double beta = 1e-9;
  const Machine machine = machine_of(alpha, beta);
  for (const Number& one : numbers)
    for (const std::int64_t bytes : {0, 76, 476, 8192}) {
      schedule::Problem problem{.operation = one.operation, .ranks = one.ranks, .unit_bytes = bytes};
      problem.parameters = one.parameters;
      const double copied = MessageTerms(machine, machine::Level::network).copy(bytes);
      const double wanted = one.messages * alpha + one.units * static_cast<double>(bytes) * beta + copied;
      const auto form = closed_form(one.strategy, problem, machine);
      ASSERT_TRUE(form) << one.equation;
      EXPECT_NE(form->source.find(one.equation), std::string_view::npos) << form->source;
      EXPECT_NEAR(form->seconds, wanted, 64 * beta) << one.equation << ", " << bytes << " bytes";
    }
}

INSTANTIATE_TEST_SUITE_P(Ranks, ClosedForms, testing::Values(2, 3, 4, 7, 8, 9, 13, 16, 27, 31, 64));

} // namespace
} // namespace thalweg::model

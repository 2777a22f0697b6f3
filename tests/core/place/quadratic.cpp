// SPDX-License-Identifier: BSD-3-Clause
#include "place/quadratic.hpp"

#include "base/error.hpp"
#include "problems.hpp"

#include <gtest/gtest.h>

namespace thalweg::place {
namespace {

Quadratic random_problem(std::mt19937& random, std::int32_t size) {
  Quadratic problem{size, {}, {}};
  const bool is_symmetric = random() % 2 == 0;
  const auto n = static_cast<std::size_t>(size);
  for (auto* matrix : {&problem.flows, &problem.distances}) {
    matrix->resize(n * n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        (*matrix)[i * n + j] = static_cast<std::int64_t>(random() % 9);
    for (std::size_t i = 0; is_symmetric && i < n; ++i)
      for (std::size_t j = 0; j < i; ++j)
        (*matrix)[i * n + j] = (*matrix)[j * n + i];
  }
  return problem;
}

std::int64_t least_of_all(const Quadratic& problem) {
  Slots places(static_cast<std::size_t>(problem.size));
  std::iota(places.begin(), places.end(), 0);
  std::int64_t least = problem.cost(places);
  while (std::ranges::next_permutation(places).found)
    least = std::min(least, problem.cost(places));
  return least;
}

TEST(Quadratic, BranchAndBoundFindsTheLeastOfAll) {
  std::mt19937 random(12);
  for (int round = 0; round < 60; ++round) {
    const Quadratic problem = random_problem(random, static_cast<std::int32_t>(random() % 7 + 1));
    const std::int64_t least = least_of_all(problem);
    Budget budget(0, 1 << 30, Clock::wall);
    const QuadraticResult found = branch_and_bound(problem, 1, budget);
    EXPECT_EQ(found.cost, least);
    EXPECT_EQ(found.bound, least);
    EXPECT_EQ(problem.cost(found.place_of), least);
    EXPECT_LE(gilmore_lawler(problem), least);
  }
}

TEST(Quadratic, NoAssignmentIsBelowTheRelaxation) {
  std::mt19937 random(15);
  int tight = 0;
  for (int round = 0; round < 60; ++round) {
    Quadratic problem = random_problem(random, static_cast<std::int32_t>(random() % 7 + 1));
    const bool is_ring = random() % 2 == 0;
    for (std::int32_t p = 0; is_ring && p < problem.size; ++p)
      for (std::int32_t q = 0; q < problem.size; ++q)
        problem.distances[static_cast<std::size_t>(p * problem.size + q)] =
            std::min(std::abs(p - q), problem.size - std::abs(p - q));
    const std::int64_t least = least_of_all(problem);
    Budget budget(0, 1 << 30, Clock::wall);
    const std::int64_t bound = relaxation(problem, is_ring, budget);
    EXPECT_LE(bound, least);
    EXPECT_GE(bound, gilmore_lawler(problem));
    tight += bound == least ? 1 : 0;
  }
  EXPECT_GE(tight, 20); // small ones often are
}

TEST(Quadratic, TabuSearchKeepsCostsRight) {
  std::mt19937 random(13);
  for (int round = 0; round < 20; ++round) {
    const Quadratic problem = random_problem(random, static_cast<std::int32_t>(random() % 12 + 2));
    Budget budget(0, 100000, Clock::wall);
    const QuadraticResult found = tabu_search(problem, 1, budget);
    EXPECT_EQ(found.cost, problem.cost(found.place_of));
    EXPECT_GE(found.cost, gilmore_lawler(problem));
  }
}

TEST(Quadratic, RefusesWhatIsNoProblem) {
  EXPECT_THROW(check_quadratic({0, {}, {}}), Error);
  EXPECT_THROW(check_quadratic({2, {0, 1, 1}, {0, 1, 1, 0}}), Error);
  EXPECT_THROW(check_quadratic({1, {-1}, {1}}), Error);
  EXPECT_THROW(check_quadratic({1, {std::int64_t{1} << 40}, {std::int64_t{1} << 40}}), Error);
}

TEST(LinearAssignment, IsTheLeastOfAll) {
  std::mt19937 random(14);
  for (int round = 0; round < 100; ++round) {
    const auto size = static_cast<std::int32_t>(random() % 6 + 1);
    const auto n = static_cast<std::size_t>(size);
    std::vector<std::int64_t> costs(n * n);
    for (std::int64_t& cost : costs)
      cost = static_cast<std::int64_t>(random() % 20);
    const LinearAssignment found = assigned(costs, size);
    Numbers columns(n);
    std::iota(columns.begin(), columns.end(), 0);
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    do {
      std::int64_t sum = 0;
      for (std::size_t row = 0; row < n; ++row)
        sum += costs[row * n + static_cast<std::size_t>(columns[row])];
      least = std::min(least, sum);
    } while (std::ranges::next_permutation(columns).found);
    EXPECT_EQ(found.cost, least);
    EXPECT_GE(*std::ranges::min_element(found.reduced), 0);
  }
}

} // namespace
} // namespace thalweg::place

// SPDX-License-Identifier: BSD-3-Clause
#include "pattern/matrix.hpp"

#include "base/error.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <random>

namespace thalweg::pattern {
namespace {

TEST(Matrix, AddsUpWhatTheSamePairSends) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    const auto tasks = static_cast<std::int32_t>(random() % 9 + 1);
    std::vector<Edge> edges;
    std::map<std::pair<std::int32_t, std::int32_t>, Edge> expected;
    for (int count = static_cast<int>(random() % 40); count > 0; --count) {
      const Edge edge{static_cast<std::int32_t>(random()) & 7, static_cast<std::int32_t>(random()) & 7,
                      static_cast<double>(random() % 3), static_cast<double>(random() % 2)};
      if (std::max(edge.from, edge.to) >= tasks)
        continue;
      edges.push_back(edge);
      if (edge.from == edge.to || (edge.bytes == 0 && edge.messages == 0))
        continue;
      Edge& sum = expected.try_emplace({edge.from, edge.to}, Edge{edge.from, edge.to, 0, 0}).first->second;
      sum.bytes += edge.bytes;
      sum.messages += edge.messages;
    }
    const Matrix matrix(tasks, edges);
    std::vector<Edge> found;
    for (std::int32_t task = 0; task < tasks; ++task)
      for (const Edge& edge : matrix.from(task)) {
        EXPECT_EQ(edge.from, task);
        found.push_back(edge);
      }
    std::vector<Edge> sums;
    for (const auto& [pair, edge] : expected)
      sums.push_back(edge);
    EXPECT_EQ(found, sums);
    EXPECT_DOUBLE_EQ(symmetric(matrix).bytes(), 2 * matrix.bytes());
  }
}

TEST(Matrix, RefusesTasksThatAreNotThereAndAmountsThatAreNone) {
  EXPECT_THROW(Matrix(-1, {}), Error);
  EXPECT_THROW(Matrix(tasks_max + 1, {}), Error);
  EXPECT_THROW(Matrix(2, {{0, 2, 1, 1}}), Error);
  EXPECT_THROW(Matrix(2, {{-1, 0, 1, 1}}), Error);
  EXPECT_THROW(Matrix(2, {{0, 1, -1, 1}}), Error);
  EXPECT_THROW(Matrix(2, {{0, 1, std::numeric_limits<double>::quiet_NaN(), 1}}), Error);
  EXPECT_THROW(Matrix(2, {{0, 1, 1, 2 * amount_max}}), Error);
  EXPECT_EQ(Matrix(2, {{0, 1, amount_max, amount_max}}).bytes(), amount_max);
  EXPECT_EQ(Matrix(0, {}).tasks(), 0);
}

TEST(Pattern, SumsPhasesByTheirRepeats) {
  const Pattern pattern{
      3, {{"a", 2, Matrix(3, {{0, 1, 8, 1}})}, {"b", 1, Matrix(3, {{0, 1, 4, 1}, {1, 2, 1, 1}})}}};
  const Matrix total = sum(pattern);
  ASSERT_EQ(total.edges().size(), 2);
  EXPECT_EQ(total.edges()[0], (Edge{0, 1, 20, 3}));
  EXPECT_EQ(total.edges()[1], (Edge{1, 2, 1, 1}));
}

} // namespace
} // namespace thalweg::pattern

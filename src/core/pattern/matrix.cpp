// SPDX-License-Identifier: BSD-3-Clause
#include "pattern/matrix.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

namespace thalweg::pattern {

bool is_amount(double value) {
  return value >= 0 && value <= amount_max; // and so no NaN
}

namespace {

void check_edge(const Edge& edge, std::int32_t tasks) {
  if (std::min(edge.from, edge.to) < 0 || std::max(edge.from, edge.to) >= tasks)
    throw Error(fmt::format("a message from task {} to task {} of {}", edge.from, edge.to, tasks),
                "number tasks from 0, and give as many as there are");
  if (!is_amount(edge.bytes) || !is_amount(edge.messages))
    throw Error(fmt::format("task {} sends {} bytes in {} messages to task {}", edge.from, edge.bytes,
                            edge.messages, edge.to),
                fmt::format("give numbers from 0 to {}", amount_max));
}

} // namespace

Matrix::Matrix(std::int32_t tasks, std::vector<Edge> edges)
    : tasks_(tasks), begin_(static_cast<std::size_t>(std::clamp(tasks, 0, tasks_max)) + 1) {
  if (tasks < 0 || tasks > tasks_max)
    throw Error(fmt::format("a pattern of {} tasks", tasks), fmt::format("give 0 to {}", tasks_max));
  for (const Edge& edge : edges)
    check_edge(edge, tasks);
  std::erase_if(edges, [](const Edge& edge) {
    return edge.from == edge.to || (edge.bytes == 0 && edge.messages == 0);
  });
  std::ranges::sort(edges, {}, [](const Edge& edge) { return std::tuple(edge.from, edge.to); });
  for (const Edge& edge : edges) {
    if (edges_.empty() || edges_.back().from != edge.from || edges_.back().to != edge.to) {
      edges_.push_back(edge);
      ++begin_[static_cast<std::size_t>(edge.from) + 1];
      continue;
    }
    edges_.back().bytes += edge.bytes;
    edges_.back().messages += edge.messages;
  }
  for (std::size_t task = 0; task < static_cast<std::size_t>(tasks); ++task)
    begin_[task + 1] += begin_[task];
  THALWEG_ASSERT(light, begin_.back() == edges_.size());
}

double Matrix::bytes() const {
  double total = 0;
  for (const Edge& edge : edges_)
    total += edge.bytes;
  return total;
}

Matrix symmetric(const Matrix& matrix) {
  std::vector<Edge> edges(matrix.edges().begin(), matrix.edges().end());
  for (const Edge& edge : matrix.edges())
    edges.push_back({edge.to, edge.from, edge.bytes, edge.messages});
  return {matrix.tasks(), std::move(edges)};
}

Matrix sum(const Pattern& pattern) {
  std::vector<Edge> edges;
  for (const Phase& phase : pattern.phases) {
    THALWEG_ASSERT(normal, phase.matrix.tasks() == pattern.tasks);
    for (Edge edge : phase.matrix.edges()) {
      edge.bytes *= phase.repeats;
      edge.messages *= phase.repeats;
      edges.push_back(edge);
    }
  }
  return {pattern.tasks, std::move(edges)};
}

} // namespace thalweg::pattern

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Who sends how much to whom: a sparse matrix of bytes and messages between tasks, for each phase of a
// program.

#include "base/assertion.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace thalweg::pattern {

/// What bytes, messages, repeats and weights may be at most: sums and products of them stay finite.
inline constexpr double amount_max = 1e30;

/// How many tasks a pattern may have: a program that has more is a slip of the pen.
inline constexpr std::int32_t tasks_max = 1 << 26;

/// Whether a number of bytes, messages and the like is one: from 0 to amount_max.
bool is_amount(double value);

/// What one task sends to another. Tasks are a job's ranks, or what will be ranks.
struct Edge {
  std::int32_t from = 0;
  std::int32_t to = 0;
  double bytes = 0;
  double messages = 0;

  bool operator==(const Edge&) const = default;
};

/// Edges by sender, each pair once, receivers ascending. Nothing to oneself, nothing that is empty.
class Matrix {
public:
  Matrix() = default;
  /// Edges in any order; those between the same two tasks are added up, and those of a task to itself or
  /// without bytes and messages are left out. Throws Error for tasks outside of 0 .. tasks_max or
  /// edges outside of these, and for bytes
  /// or messages that are no amount. O(edges log edges).
  Matrix(std::int32_t tasks, std::vector<Edge> edges);

  std::int32_t tasks() const { return tasks_; }
  std::span<const Edge> edges() const { return edges_; }
  /// What a task sends.
  std::span<const Edge> from(std::int32_t task) const {
    const auto index = static_cast<std::size_t>(task);
    THALWEG_ASSERT(normal, index + 1 < begin_.size());
    return std::span(edges_).subspan(begin_[index], begin_[index + 1] - begin_[index]);
  }
  double bytes() const; ///< of all edges

private:
  std::int32_t tasks_ = 0;
  std::vector<Edge> edges_;
  std::vector<std::size_t> begin_ = {0}; ///< of each task's edges; tasks + 1 entries
};

/// The sum of both directions, in both: what hop-bytes need, as distances are symmetric.
Matrix symmetric(const Matrix& matrix);

/// What goes on at the same time. A program's communication is its phases, one after the other.
struct Phase {
  std::string name;
  double repeats = 1; ///< how often it happens; `matrix` is of once
  Matrix matrix;
};

/// All phases have the same tasks.
struct Pattern {
  std::int32_t tasks = 0;
  std::vector<Phase> phases;
};

/// What all phases send, with their repeats.
Matrix sum(const Pattern& pattern);

} // namespace thalweg::pattern

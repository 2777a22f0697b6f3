// SPDX-License-Identifier: BSD-3-Clause

// Closed forms of trees and chains (LogGP: Alexandrov et al. 1995; Nishtala 2009), for broadcast, reduce,
// scatter, gather and barrier.

#include "base/arithmetic.hpp"
#include "model/closed_forms.hpp"

#include <algorithm>

namespace thalweg::model {

namespace {

using schedule::Operation;
using schedule::Problem;

/// Down a tree of that depth in which every rank serves `children` others: a child waits until those before
/// it have been served.
double down(const MessageTerms& terms, int depth, std::int64_t children, std::int64_t bytes) {
  return depth * (terms.hop(bytes) + static_cast<double>(children - 1) * terms.interval(bytes));
}

/// Up it, summing up: the children's messages queue for their parent's link, and it takes the one first that
/// comes last.
double up(const MessageTerms& terms, int depth, std::int64_t children, std::int64_t bytes) {
  return depth *
         (terms.hop(bytes, Handling::combined) +
          static_cast<double>(children - 1) * (terms.apart(bytes) + terms.taking(bytes, Handling::combined)));
}

/// Up it, where messages are taken as they come.
double up_in_any_order(const MessageTerms& terms, int depth, std::int64_t children, std::int64_t bytes) {
  return depth * (terms.hop(bytes) +
                  static_cast<double>(children - 1) * std::max(terms.taking(bytes), terms.apart(bytes)));
}

/// Of the complete tree of that degree that has at least so many ranks.
int kary_depth(const Problem& problem) {
  const std::int64_t degree = problem.parameter("degree");
  int depth = 0;
  for (std::int64_t ranks = 1, level = 1; ranks < problem.ranks; ++depth) {
    level *= degree;
    ranks += level;
  }
  return depth;
}

int knomial_depth(const Problem& problem) {
  return ceil_log(problem.parameter("radix"), problem.ranks);
}

double flat_down(const MessageTerms& terms, const Problem& problem) {
  return down(terms, 1, problem.ranks - 1, problem.unit_bytes);
}

double reduce_flat(const MessageTerms& terms, const Problem& problem) {
  return up(terms, 1, problem.ranks - 1, problem.unit_bytes);
}

/// A segment passes all ranks, the others follow at the pace of the ranks between.
double chain(const MessageTerms& terms, const Problem& problem, Handling handling) {
  const std::int64_t segment = problem.parameter("segment");
  constexpr std::int64_t limit = 512; // as strategies cut units
  const std::int64_t segments =
      segment > 0 ? std::clamp<std::int64_t>(ceil_divide(problem.unit_bytes, segment), 1, limit) : 1;
  const std::int64_t bytes = problem.unit_bytes / segments;
  return static_cast<double>(problem.ranks - 1) * terms.hop(bytes, handling) +
         static_cast<double>(segments - 1) * terms.passing(bytes, handling);
}

/// Halves of what is left, from the root on. An inner rank's own block lies apart from those that it passes
/// on, so longer messages are copied at one end.
double binomial_parts(const MessageTerms& terms, const Problem& problem) {
  double time = 0;
  for (std::int64_t blocks = power(2, ceil_log(2, problem.ranks)) / 2; blocks >= 1; blocks /= 2)
    time +=
        terms.hop(blocks * problem.unit_bytes) + (blocks > 1 ? terms.copy(blocks * problem.unit_bytes) : 0);
  return time;
}

double scatter_knomial(const MessageTerms& terms, const Problem& problem) {
  return terms.copy(problem.unit_bytes) + binomial_parts(terms, problem);
}

double broadcast_knomial(const MessageTerms& terms, const Problem& problem) {
  return down(terms, knomial_depth(problem), problem.parameter("radix") - 1, problem.unit_bytes);
}

double broadcast_kary(const MessageTerms& terms, const Problem& problem) {
  return down(terms, kary_depth(problem), problem.parameter("degree"), problem.unit_bytes);
}

double reduce_knomial(const MessageTerms& terms, const Problem& problem) {
  return up(terms, knomial_depth(problem), problem.parameter("radix") - 1, problem.unit_bytes);
}

double reduce_kary(const MessageTerms& terms, const Problem& problem) {
  return up(terms, kary_depth(problem), problem.parameter("degree"), problem.unit_bytes);
}

double barrier_knomial(const MessageTerms& terms, const Problem& problem) {
  const std::int64_t children = problem.parameter("radix") - 1;
  const int depth = knomial_depth(problem);
  return up_in_any_order(terms, depth, children, 0) + down(terms, depth, children, 0);
}

double barrier_kary(const MessageTerms& terms, const Problem& problem) {
  const std::int64_t degree = problem.parameter("degree");
  const int depth = kary_depth(problem);
  return up_in_any_order(terms, depth, degree, 0) + down(terms, depth, degree, 0);
}

/// A token passes every rank twice, but for the last hop home.
double barrier_ring(const MessageTerms& terms, const Problem& problem) {
  return (2.0 * problem.ranks - 1) * terms.hop(0);
}

bool has_no_segments(const Problem& problem) {
  return problem.parameter("segment") == 0 || problem.parameter("segment") >= problem.unit_bytes;
}
bool is_binomial(const Problem& problem) {
  return has_whole_messages(problem) && problem.parameter("radix") == 2;
}

constexpr std::string_view nishtala = "Nishtala 2009 (LogGP of trees)";
constexpr std::string_view thakur_binomial = "Thakur, Rabenseifner, Gropp 2005, section 4 (binomial tree)";

} // namespace

std::span<const TableLine> tree_forms() {
  static const std::vector<TableLine> lines{
      {Operation::broadcast, "flat", nishtala, flat_down, has_no_segments},
      {Operation::broadcast, "chain", nishtala,
       [](const auto& terms, const auto& problem) { return chain(terms, problem, Handling::plain); }},
      {Operation::broadcast, "knomial", nishtala, broadcast_knomial, has_no_segments},
      {Operation::broadcast, "kary", nishtala, broadcast_kary, has_no_segments},
      {Operation::reduce, "flat", nishtala, reduce_flat, has_no_segments},
      {Operation::reduce, "chain", nishtala,
       [](const auto& terms, const auto& problem) { return chain(terms, problem, Handling::combined); }},
      {Operation::reduce, "knomial", nishtala, reduce_knomial, has_no_segments},
      {Operation::reduce, "kary", nishtala, reduce_kary, has_no_segments},
      {Operation::scatter, "flat", nishtala,
       [](const auto& terms, const auto& problem) {
         return terms.copy(problem.unit_bytes) + flat_down(terms, problem);
       },
       has_whole_messages},
      {Operation::scatter, "knomial", thakur_binomial, scatter_knomial, is_binomial},
      {Operation::gather, "flat", nishtala,
       [](const auto& terms, const auto& problem) {
         return up_in_any_order(terms, 1, problem.ranks - 1, problem.unit_bytes);
       },
       has_whole_messages},
      {Operation::gather, "knomial", thakur_binomial, binomial_parts, is_binomial},
      {Operation::barrier, "flat", nishtala,
       [](const auto& terms, const auto& problem) {
         return up_in_any_order(terms, 1, problem.ranks - 1, 0) + down(terms, 1, problem.ranks - 1, 0);
       }},
      {Operation::barrier, "knomial", nishtala, barrier_knomial},
      {Operation::barrier, "kary", nishtala, barrier_kary},
      {Operation::barrier, "ring", "Open MPI's coll/base (double ring)", barrier_ring},
  };
  return lines;
}

} // namespace thalweg::model

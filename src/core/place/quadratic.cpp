// SPDX-License-Identifier: BSD-3-Clause
#include "place/quadratic.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"
#include "place/mapping.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <numeric>

namespace thalweg::place {

std::int64_t Quadratic::cost(const Slots& place_of) const {
  std::int64_t sum = 0;
  for (std::int32_t i = 0; i < size; ++i)
    for (std::int32_t j = 0; j < size; ++j)
      sum +=
          flow(i, j) * distance(place_of[static_cast<std::size_t>(i)], place_of[static_cast<std::size_t>(j)]);
  return sum;
}

void check_quadratic(const Quadratic& problem) {
  const auto entries = static_cast<std::size_t>(problem.size) * static_cast<std::size_t>(problem.size);
  if (problem.size < 1 || problem.flows.size() != entries || problem.distances.size() != entries)
    throw Error(fmt::format("matrices of {} and {} numbers for {} tasks", problem.flows.size(),
                            problem.distances.size(), problem.size),
                "give two square matrices of at least one row");
  constexpr double limit = 0x1p62;
  double flows = 0;
  for (const std::int64_t flow : problem.flows)
    flows += static_cast<double>(flow);
  const std::int64_t lowest =
      std::min(*std::ranges::min_element(problem.flows), *std::ranges::min_element(problem.distances));
  if (lowest < 0)
    throw Error(fmt::format("a flow or distance of {}", lowest), "give numbers from 0");
  if (flows * static_cast<double>(*std::ranges::max_element(problem.distances)) > limit)
    throw Error(fmt::format("flows of {} over distances of up to {}", flows,
                            *std::ranges::max_element(problem.distances)),
                "count in a larger unit");
}

LinearAssignment assigned(std::span<const std::int64_t> costs, std::int32_t size) {
  const auto n = static_cast<std::size_t>(size);
  THALWEG_ASSERT(light, costs.size() == n * n);
  constexpr std::int64_t infinite = std::numeric_limits<std::int64_t>::max() / 2;
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  std::vector<std::int64_t> row_price(n);
  std::vector<std::int64_t> column_price(n);
  std::vector<std::size_t> row_of(n, none);
  std::vector<std::int64_t> distance(n);
  std::vector<std::size_t> from(n); // the column before on the shortest path, none: the row itself
  std::vector<bool> is_done(n);
  for (std::size_t row = 0; row < n; ++row) {
    std::fill(distance.begin(), distance.end(), infinite);
    std::fill(is_done.begin(), is_done.end(), false);
    std::size_t column = none;
    std::size_t current = row;
    std::int64_t length = 0;
    while (true) {
      std::size_t next = none;
      for (std::size_t other = 0; other < n; ++other) {
        if (is_done[other])
          continue;
        const std::int64_t step =
            length + costs[current * n + other] - row_price[current] - column_price[other];
        if (step < distance[other]) {
          distance[other] = step;
          from[other] = column;
        }
        if (next == none || distance[other] < distance[next])
          next = other;
      }
      length = distance[next];
      is_done[next] = true;
      column = next;
      if (row_of[column] == none)
        break;
      current = row_of[column];
    }
    row_price[row] += length;
    for (std::size_t other = 0; other < n; ++other)
      if (is_done[other] && other != column) {
        row_price[row_of[other]] += length - distance[other];
        column_price[other] -= length - distance[other];
      }
    for (; from[column] != none; column = from[column])
      row_of[column] = row_of[from[column]];
    row_of[column] = row;
  }
  LinearAssignment result{0, std::vector<std::int32_t>(n), std::vector<std::int64_t>(n * n)};
  for (std::size_t column = 0; column < n; ++column) {
    result.column_of[row_of[column]] = static_cast<std::int32_t>(column);
    result.cost += costs[row_of[column] * n + column];
  }
  for (std::size_t row = 0; row < n; ++row)
    for (std::size_t column = 0; column < n; ++column)
      result.reduced[row * n + column] = costs[row * n + column] - row_price[row] - column_price[column];
  THALWEG_ASSERT(heavy, std::ranges::all_of(result.reduced, [](std::int64_t cost) { return cost >= 0; }));
  return result;
}

namespace {

/// The dual of the relaxation, by ascent: costs of pairs of assignments move to where they add to the bound,
/// and the sum of all that an assignment can cost stays as it is. In whole numbers, so that nothing is lost.
class DualAscent {
public:
  /// Task 0 on another place than 0 costs `elsewhere` more.
  DualAscent(const Quadratic& problem, std::int64_t scale, std::int64_t elsewhere)
      : size_(at(problem.size)), pairs_(size_ * size_ * size_ * size_), leaders_(size_ * size_) {
    for (std::int32_t i = 0; i < problem.size; ++i)
      for (std::int32_t p = 0; p < problem.size; ++p) {
        leaders_[at(i) * size_ + at(p)] =
            scale * problem.flow(i, i) * problem.distance(p, p) + (i == 0 && p > 0 ? elsewhere : 0);
        for (std::int32_t j = 0; j < problem.size; ++j)
          for (std::int32_t q = 0; q < problem.size; ++q)
            if (i != j && p != q)
              pair(at(i), at(p), at(j), at(q)) = scale * problem.flow(i, j) * problem.distance(p, q);
      }
  }

  /// Goes once through all assignments of one task: what each costs with the others, at least, becomes the
  /// cost of the assignment itself, and all together add to the bound. Behind it, what is left is shared by
  /// the two that a pair is of, and by all pairs of an assignment: none takes what others could use. The
  /// first round's bound is Gilmore and Lawler's.
  void round() {
    for (std::size_t i = 0; i < size_; ++i)
      for (std::size_t p = 0; p < size_; ++p)
        collect(i, p);
    const LinearAssignment all = assigned(leaders_, static_cast<std::int32_t>(size_));
    bound_ += all.cost;
    leaders_ = all.reduced;
    for (std::size_t i = 0; i < size_; ++i)
      for (std::size_t p = 0; p < size_; ++p)
        hand_out(i, p);
    for (std::size_t i = 0; i < size_; ++i)
      for (std::size_t p = 0; p < size_; ++p)
        share(i, p);
  }
  std::int64_t bound() const { return bound_; }

private:
  std::int64_t& pair(std::size_t i, std::size_t p, std::size_t j, std::size_t q) {
    return pairs_[((i * size_ + p) * size_ + j) * size_ + q];
  }

  void collect(std::size_t i, std::size_t p) {
    costs_.clear();
    for (std::size_t j = 0; j < size_; ++j)
      for (std::size_t q = 0; q < size_; ++q)
        if (j != i && q != p)
          costs_.push_back(pair(i, p, j, q));
    const LinearAssignment found = assigned(costs_, static_cast<std::int32_t>(size_ - 1));
    leaders_[i * size_ + p] += found.cost;
    auto reduced = found.reduced.begin();
    for (std::size_t j = 0; j < size_; ++j)
      for (std::size_t q = 0; q < size_; ++q)
        if (j != i && q != p)
          pair(i, p, j, q) = *reduced++;
  }

  /// Each other task is somewhere, so that an assignment's cost can be that of its pairs with one.
  void hand_out(std::size_t i, std::size_t p) {
    std::int64_t& leader = leaders_[i * size_ + p];
    const std::int64_t share = leader / static_cast<std::int64_t>(size_ - 1);
    leader -= share * static_cast<std::int64_t>(size_ - 1);
    for (std::size_t j = 0; j < size_; ++j)
      for (std::size_t q = 0; q < size_; ++q)
        if (j != i && q != p)
          pair(i, p, j, q) += share;
  }

  void share(std::size_t i, std::size_t p) {
    for (std::size_t j = i + 1; j < size_; ++j)
      for (std::size_t q = 0; q < size_; ++q)
        if (q != p) {
          const std::int64_t both = pair(i, p, j, q) + pair(j, q, i, p);
          pair(i, p, j, q) = both / 2;
          pair(j, q, i, p) = both - both / 2;
        }
  }

  std::size_t size_;
  std::vector<std::int64_t> pairs_;
  std::vector<std::int64_t> leaders_; ///< of each task on each place
  std::vector<std::int64_t> costs_;
  std::int64_t bound_ = 0;
};

} // namespace

std::int64_t relaxation(const Quadratic& problem, bool is_first_anywhere, Budget& budget) {
  constexpr std::int64_t sum_max = std::int64_t{1} << 50;
  constexpr int idle_max = 30;
  constexpr double idle_gain = 1e-5; // a part of the bound, below which a round counts for nothing
  if (problem.size < 3)
    return gilmore_lawler(problem);
  const auto sum = [](const std::vector<std::int64_t>& numbers) {
    return std::accumulate(numbers.begin(), numbers.end(), std::int64_t{1});
  };
  // All pairs are in the matrices, not only those of one assignment.
  const double products =
      static_cast<double>(sum(problem.flows)) * static_cast<double>(sum(problem.distances));
  if (products > static_cast<double>(sum_max))
    return 0;
  const auto scale = static_cast<std::int64_t>(static_cast<double>(sum_max) / products);
  // More than any assignment costs.
  DualAscent ascent(problem, scale, is_first_anywhere ? sum_max : 0);
  for (int idle = 0; idle < idle_max && !budget.is_over();) {
    const std::int64_t before = ascent.bound();
    ascent.round();
    THALWEG_ASSERT(normal, ascent.bound() >= before);
    idle =
        static_cast<double>(ascent.bound() - before) > idle_gain * static_cast<double>(before) ? 0 : idle + 1;
  }
  return (ascent.bound() + scale - 1) / scale; // costs are whole numbers
}

} // namespace thalweg::place

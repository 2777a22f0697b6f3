// SPDX-License-Identifier: BSD-3-Clause
#include "place/index.hpp"
#include "place/linear_assignment.hpp"
#include "place/quadratic.hpp"

#include <algorithm>
#include <numeric>

namespace thalweg::place {

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

  /// Goes once through all assignments of one task.
  void round() {
    for (std::size_t i = 0; i < size_; ++i)
      for (std::size_t p = 0; p < size_; ++p)
        collect(i, p);
    const LinearAssignment all = assigned(leaders_, static_cast<std::int32_t>(size_));
    bound_ += all.cost;
    leaders_ = all.reduced;
  }
  std::int64_t bound() const { return bound_; }

private:
  std::int64_t& pair(std::size_t i, std::size_t p, std::size_t j, std::size_t q) {
    return pairs_[((i * size_ + p) * size_ + j) * size_ + q];
  }

  /// What task i on place p costs with the others, at least, becomes the cost of the assignment itself.
  void collect(std::size_t i, std::size_t p) {
    std::int64_t& leader = leaders_[i * size_ + p];
    const auto others = static_cast<std::int64_t>(size_ - 1);
    const std::int64_t share = leader / others; // each other task is somewhere
    leader -= share * others;
    costs_.clear();
    for (std::size_t j = 0; j < size_; ++j)
      for (std::size_t q = 0; q < size_; ++q)
        if (j != i && q != p) {
          std::int64_t& mirrored = pair(j, q, i, p); // the same pair of assignments
          costs_.push_back(pair(i, p, j, q) + mirrored + share);
          mirrored = 0;
        }
    const LinearAssignment found = assigned(costs_, static_cast<std::int32_t>(others));
    leader += found.cost;
    auto reduced = found.reduced.begin();
    for (std::size_t j = 0; j < size_; ++j)
      for (std::size_t q = 0; q < size_; ++q)
        if (j != i && q != p)
          pair(i, p, j, q) = *reduced++;
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
  constexpr int idle_max = 12;
  constexpr double idle_gain = 1e-4; // a part of the bound, below which a round counts for nothing
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
    idle =
        static_cast<double>(ascent.bound() - before) > idle_gain * static_cast<double>(before) ? 0 : idle + 1;
  }
  return (ascent.bound() + scale - 1) / scale; // costs are whole numbers
}

} // namespace thalweg::place

// SPDX-License-Identifier: BSD-3-Clause
#include "base/assertion.hpp"
#include "base/random.hpp"
#include "place/mapping.hpp"
#include "place/quadratic.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace thalweg::place {

namespace {

using Cost = std::int64_t;

bool is_symmetric(const std::vector<Cost>& matrix, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (matrix[i * size + j] != matrix[j * size + i])
        return false;
  return true;
}

/// Where either matrix is symmetric the other may be made so: the cost stays, but for a factor.
void symmetrize(std::vector<Cost>& matrix, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      matrix[i * size + j] = matrix[j * size + i] = matrix[i * size + j] + matrix[j * size + i];
}

/// What swaps change is kept for all pairs: after a swap, O(1) for a pair that it does not touch.
class Tabu {
public:
  Tabu(const Quadratic& problem, Slots start, Random& random)
      : problem_(problem), size_(problem.size), flows_(problem.flows), distances_(problem.distances),
        place_of_(std::move(start)), random_(random), deltas_(at(size_) * at(size_)), tabu_(deltas_.size()) {
    is_symmetric_ = is_symmetric(flows_, at(size_)) || is_symmetric(distances_, at(size_));
    if (is_symmetric_) {
      symmetrize(flows_, at(size_));
      symmetrize(distances_, at(size_));
    }
    restart();
  }

  /// From the places as they are.
  void restart() {
    cost_ = problem_.cost(place_of_);
    for (std::int32_t r = 0; r < size_; ++r)
      for (std::int32_t s = r + 1; s < size_; ++s)
        delta(r, s) = computed(r, s);
    std::fill(tabu_.begin(), tabu_.end(), 0);
    step_ = 0;
    cost_min_ = cost_;
  }

  /// One step: the best swap that is not tabu, or that leads to a new best, or has been overdue.
  void step() {
    ++step_;
    const std::int64_t overdue = step_ - std::int64_t{5} * size_ * size_;
    std::int32_t best_r = -1;
    std::int32_t best_s = -1;
    Cost best = std::numeric_limits<Cost>::max();
    bool is_best_aspired = false;
    for (std::int32_t r = 0; r < size_; ++r)
      for (std::int32_t s = r + 1; s < size_; ++s) {
        const std::int64_t first = tabu(r, place_of_[at(s)]);
        const std::int64_t second = tabu(s, place_of_[at(r)]);
        const bool is_allowed = first < step_ || second < step_;
        const Cost change = delta(r, s);
        const bool is_aspired = (first < overdue && second < overdue) || cost_ + change < cost_min_;
        if ((is_aspired && (!is_best_aspired || change < best)) ||
            (!is_best_aspired && is_allowed && change < best)) {
          best = change;
          best_r = r;
          best_s = s;
          is_best_aspired = is_aspired;
        }
      }
    if (best_r >= 0)
      swap(best_r, best_s);
  }

  /// Swaps random pairs.
  void disturb(int swaps) {
    for (int count = 0; count < swaps; ++count)
      std::swap(place_of_[at(random_.below(size_))], place_of_[at(random_.below(size_))]);
    restart();
  }

  void set(const Slots& place_of) { place_of_ = place_of; }
  Cost cost() const { return cost_; }
  const Slots& place_of() const { return place_of_; }

private:
  Cost& delta(std::int32_t r, std::int32_t s) { return deltas_[at(r) * at(size_) + at(s)]; }
  std::int64_t& tabu(std::int32_t task, std::int32_t place) {
    return tabu_[at(task) * at(size_) + at(place)];
  }
  const Cost* flow(std::int32_t i) const { return flows_.data() + at(i) * at(size_); }
  const Cost* distance(std::int32_t p) const { return distances_.data() + at(p) * at(size_); }

  /// Source: Taillard 1991, "Robust taboo search for the quadratic assignment problem", equations for general
  /// matrices.
  Cost computed(std::int32_t r, std::int32_t s) const {
    const std::int32_t p = place_of_[at(r)];
    const std::int32_t q = place_of_[at(s)];
    if (is_symmetric_) { // both matrices hold twice the mean, so that the sum of pairs is twice the cost
      Cost twice = 0;
      for (std::int32_t k = 0; k < size_; ++k) {
        const std::size_t place = at(place_of_[at(k)]);
        const Cost change = (flow(s)[k] - flow(r)[k]) * (distance(p)[place] - distance(q)[place]);
        twice += k == r || k == s ? 0 : change;
      }
      return twice / 2 + own(r, s, p, q);
    }
    Cost change = (flow(r)[r] - flow(s)[s]) * (distance(q)[q] - distance(p)[p]) +
                  (flow(r)[s] - flow(s)[r]) * (distance(q)[p] - distance(p)[q]);
    for (std::int32_t k = 0; k < size_; ++k)
      if (k != r && k != s) {
        const std::int32_t place = place_of_[at(k)];
        change += (flow(k)[r] - flow(k)[s]) * (distance(place)[q] - distance(place)[p]) +
                  (flow(r)[k] - flow(s)[k]) * (distance(q)[place] - distance(p)[place]);
      }
    return change;
  }
  /// Diagonals, of matrices that were doubled both.
  Cost own(std::int32_t r, std::int32_t s, std::int32_t p, std::int32_t q) const {
    return (flow(r)[r] - flow(s)[s]) * (distance(q)[q] - distance(p)[p]) / 4;
  }

  /// After r and s have been swapped, for a pair without them.
  Cost updated(std::int32_t i, std::int32_t j, std::int32_t r, std::int32_t s) {
    const std::int32_t p = place_of_[at(i)];
    const std::int32_t q = place_of_[at(j)];
    const std::int32_t t = place_of_[at(r)];
    const std::int32_t u = place_of_[at(s)];
    const Cost flows = flow(r)[i] - flow(r)[j] + flow(s)[j] - flow(s)[i];
    const Cost distances = distance(u)[p] - distance(u)[q] + distance(t)[q] - distance(t)[p];
    if (is_symmetric_)
      return delta(i, j) + flows * distances / 2;
    const Cost flows_to = flow(i)[r] - flow(j)[r] + flow(j)[s] - flow(i)[s];
    const Cost distances_to = distance(p)[u] - distance(q)[u] + distance(q)[t] - distance(p)[t];
    return delta(i, j) + flows * distances + flows_to * distances_to;
  }

  void swap(std::int32_t r, std::int32_t s) {
    THALWEG_ASSERT(heavy, delta(r, s) == computed(r, s));
    cost_ += delta(r, s);
    cost_min_ = std::min(cost_min_, cost_);
    constexpr int wait = 8; // Taillard's mean times as many as tasks, by a cube: most short, some long
    const auto tenure = [&] {
      const double part = random_.real();
      return step_ + static_cast<std::int64_t>(wait * size_ * part * part * part) + 2;
    };
    tabu(r, place_of_[at(r)]) = tenure();
    tabu(s, place_of_[at(s)]) = tenure();
    std::swap(place_of_[at(r)], place_of_[at(s)]);
    for (std::int32_t i = 0; i < size_; ++i)
      for (std::int32_t j = i + 1; j < size_; ++j)
        delta(i, j) = i == r || i == s || j == r || j == s ? computed(i, j) : updated(i, j, r, s);
  }

  const Quadratic& problem_;
  std::int32_t size_;
  std::vector<Cost> flows_;
  std::vector<Cost> distances_;
  Slots place_of_;
  Random& random_;
  std::vector<Cost> deltas_;
  std::vector<std::int64_t> tabu_; ///< by task and place: until which step the task must not come back
  bool is_symmetric_ = false;
  Cost cost_ = 0;
  Cost cost_min_ = 0;
  std::int64_t step_ = 0;
};

} // namespace

QuadraticResult tabu_search(const Quadratic& problem, std::uint64_t seed, Budget& budget, Slots start) {
  check_quadratic(problem);
  Random random(seed);
  if (start.empty()) {
    start.resize(at(problem.size));
    std::iota(start.begin(), start.end(), 0);
    for (std::int32_t left = problem.size; left > 1; --left)
      std::swap(start[at(left - 1)], start[at(random.below(left))]);
  }
  QuadraticResult result{start, problem.cost(start), 0};
  if (problem.size < 2)
    return result;
  Tabu search(problem, start, random);
  const std::int64_t patience = std::int64_t{400} * problem.size;
  const std::int64_t pairs = std::int64_t{problem.size} * problem.size / 2;
  Cost round_best = std::numeric_limits<Cost>::max(); // since the last disturbance
  for (std::int64_t step = 0, idle = 0; !budget.is_over(); ++step) {
    for (int count = 0; count < 16; ++count) {
      search.step();
      ++idle;
      if (search.cost() < round_best) {
        round_best = search.cost();
        idle = 0;
      }
      if (search.cost() < result.cost)
        result = {search.place_of(), search.cost(), 0};
    }
    budget.spend(16 * pairs);
    if (idle > patience) {
      search.set(result.place_of);
      search.disturb(1 + random.below(std::max(problem.size / 2, 2)));
      round_best = std::numeric_limits<Cost>::max();
      idle = 0;
    }
  }
  THALWEG_ASSERT(light, result.cost == problem.cost(result.place_of));
  return result;
}

} // namespace thalweg::place

// SPDX-License-Identifier: BSD-3-Clause
#include "base/assertion.hpp"
#include "place/mapping.hpp"
#include "place/quadratic.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

namespace thalweg::place {

namespace {

using Cost = std::int64_t;
using Numbers = std::vector<std::int32_t>;

class BranchAndBound {
public:
  BranchAndBound(const Quadratic& problem, QuadraticResult& best, Budget& budget)
      : problem_(problem), best_(best), budget_(budget), place_of_(at(problem.size), -1),
        is_taken_(at(problem.size)) {
    const std::int32_t size = problem.size;
    for (std::int32_t one = 0; one < size; ++one) {
      Numbers order;
      for (std::int32_t other = 0; other < size; ++other)
        if (other != one)
          order.push_back(other);
      std::ranges::stable_sort(order, std::greater{},
                               [&](std::int32_t other) { return problem.flow(one, other); });
      flow_order_.push_back(order);
      std::ranges::stable_sort(order, {}, [&](std::int32_t other) { return problem.distance(one, other); });
      distance_order_.push_back(std::move(order));
    }
    // With both symmetric every cost is even, so that the next better one is 2 less.
    bool is_even = true;
    for (std::int32_t i = 0; i < size; ++i) {
      is_even = is_even && problem.flow(i, i) * problem.distance(0, 0) == 0;
      for (std::int32_t j = 0; j < i; ++j)
        is_even = is_even && problem.flow(i, j) == problem.flow(j, i) &&
                  problem.distance(i, j) == problem.distance(j, i);
    }
    for (std::int32_t p = 0; p < size; ++p)
      is_even = is_even && problem.distance(p, p) == 0;
    step_ = is_even ? 2 : 1;
  }

  Cost bound_of_root() { return bounded(0).cost; }
  /// Whether the whole tree was seen.
  bool run() {
    explore(0, 0);
    return !is_over_;
  }

private:
  struct Free {
    Numbers tasks;
    Numbers places;
  };

  Free free() const {
    Free found;
    for (std::int32_t number = 0; number < problem_.size; ++number) {
      if (place_of_[at(number)] < 0)
        found.tasks.push_back(number);
      if (!is_taken_[at(number)])
        found.places.push_back(number);
    }
    return found;
  }

  /// The values of the free others, in an order of all.
  template <typename Value, typename IsFree>
  static void pick(const Numbers& order, std::int32_t, IsFree is_free, Value value, std::vector<Cost>& row) {
    row.clear();
    for (const std::int32_t other : order)
      if (is_free(other))
        row.push_back(value(other));
  }

  /// Gilmore and Lawler's bound of what is left, behind `fixed` of what is assigned.
  LinearAssignment bounded(Cost fixed) {
    const Free left = free();
    const std::size_t count = left.tasks.size();
    std::vector<std::vector<Cost>> flows(count);
    std::vector<std::vector<Cost>> distances(count);
    const auto is_free_task = [&](std::int32_t task) { return place_of_[at(task)] < 0; };
    const auto is_free_place = [&](std::int32_t place) { return !is_taken_[at(place)]; };
    for (std::size_t index = 0; index < count; ++index) {
      const std::int32_t task = left.tasks[index];
      const std::int32_t place = left.places[index];
      pick(
          flow_order_[at(task)], task, is_free_task,
          [&](std::int32_t other) { return problem_.flow(task, other); }, flows[index]);
      pick(
          distance_order_[at(place)], place, is_free_place,
          [&](std::int32_t other) { return problem_.distance(place, other); }, distances[index]);
    }
    std::vector<Cost> costs(count * count);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t k = 0; k < count; ++k)
        costs[i * count + k] =
            linear(left.tasks[i], left.places[k]) +
            std::inner_product(flows[i].begin(), flows[i].end(), distances[k].begin(), Cost{0});
    LinearAssignment found = assigned(costs, static_cast<std::int32_t>(count));
    found.cost += fixed;
    return found;
  }

  /// What a task on a place costs with those that are assigned.
  Cost linear(std::int32_t task, std::int32_t place) const {
    Cost cost = problem_.flow(task, task) * problem_.distance(place, place);
    for (std::int32_t other = 0; other < problem_.size; ++other)
      if (const std::int32_t there = place_of_[at(other)]; there >= 0)
        cost += problem_.flow(task, other) * problem_.distance(place, there) +
                problem_.flow(other, task) * problem_.distance(there, place);
    return cost;
  }

  void explore(std::int32_t depth, Cost fixed) {
    budget_.spend(1);
    is_over_ = is_over_ || (++nodes_ % 32 == 0 && budget_.is_over());
    if (is_over_)
      return;
    if (depth == problem_.size) {
      if (fixed < best_.cost)
        best_ = {place_of_, fixed, best_.bound};
      return;
    }
    const Free left = free();
    const LinearAssignment bound = bounded(fixed);
    if (bound.cost > best_.cost - step_)
      return;
    // Of all tasks and all places the one whose branches look most expensive together.
    const std::size_t count = left.tasks.size();
    const auto reduced = [&](std::size_t line, std::size_t index, bool by_place) {
      return bound.reduced[by_place ? index * count + line : line * count + index];
    };
    std::size_t best_line = 0;
    bool is_by_place = false;
    Cost sum_max = -1;
    for (const bool by_place : {false, true})
      for (std::size_t line = 0; line < count; ++line) {
        Cost sum = 0;
        for (std::size_t index = 0; index < count; ++index)
          sum += std::min(reduced(line, index, by_place), best_.cost - bound.cost);
        if (sum > sum_max) {
          sum_max = sum;
          best_line = line;
          is_by_place = by_place;
        }
      }
    Numbers order(count);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {},
                             [&](std::int32_t index) { return reduced(best_line, at(index), is_by_place); });
    for (const std::int32_t index : order) {
      if (bound.cost + reduced(best_line, at(index), is_by_place) > best_.cost - step_)
        break;
      const std::int32_t task = left.tasks[is_by_place ? at(index) : best_line];
      const std::int32_t place = left.places[is_by_place ? best_line : at(index)];
      const Cost added = linear(task, place);
      place_of_[at(task)] = place;
      is_taken_[at(place)] = true;
      explore(depth + 1, fixed + added);
      place_of_[at(task)] = -1;
      is_taken_[at(place)] = false;
    }
  }

  const Quadratic& problem_;
  QuadraticResult& best_;
  Budget& budget_;
  Slots place_of_;
  std::vector<bool> is_taken_;
  std::vector<Numbers> flow_order_;     ///< of each task: the others by falling flow
  std::vector<Numbers> distance_order_; ///< of each place: the others by rising distance
  Cost step_ = 1;
  std::int64_t nodes_ = 0;
  bool is_over_ = false;
};

} // namespace

std::int64_t gilmore_lawler(const Quadratic& problem) {
  check_quadratic(problem);
  QuadraticResult none;
  Budget budget(0, 1, Clock::wall);
  return BranchAndBound(problem, none, budget).bound_of_root();
}

QuadraticResult branch_and_bound(const Quadratic& problem, std::uint64_t seed, Budget& budget) {
  check_quadratic(problem);
  constexpr std::int64_t steps_for_start = 2000;
  Budget first(0, steps_for_start * problem.size * problem.size, Clock::wall);
  QuadraticResult best = tabu_search(problem, seed, first);
  BranchAndBound search(problem, best, budget);
  best.bound = search.bound_of_root();
  if (search.run())
    best.bound = best.cost;
  THALWEG_ASSERT(light, best.bound <= best.cost);
  THALWEG_ASSERT(heavy, best.cost == problem.cost(best.place_of));
  return best;
}

} // namespace thalweg::place

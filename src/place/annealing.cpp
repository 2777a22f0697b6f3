#include "place/annealing.hpp"

#include <algorithm>
#include <cmath>

namespace thalweg::place {

namespace {

constexpr std::int64_t looks_at_clock = 256; ///< proposals from one look to the next

std::int32_t one_of(std::span<const std::int32_t> numbers, Random& random) {
  return numbers[static_cast<std::size_t>(random.below(static_cast<std::int32_t>(numbers.size())))];
}

} // namespace

double mean_change(Energy& state, const Proposals& proposals, Random& random) {
  double sum = 0;
  int count = 0;
  for (int sample = 0; sample < change_samples; ++sample) {
    const auto [a, b] = proposals.next(state.mapping(), random);
    if (const double change = a == b ? 0 : std::abs(state.delta(a, b)); change > 0) {
      sum += change;
      ++count;
    }
  }
  return count > 0 ? sum / count : 0;
}

Proposals::Proposals(const Graph& graph, const Vicinity& vicinity) : graph_(&graph), vicinity_(&vicinity) {
  for (std::int32_t task = 0; task < graph.vertices(); ++task)
    if (graph.degree(task) > 0)
      talking_.push_back(task);
}

Proposals::Swap Proposals::next(const Mapping& mapping, Random& random) const {
  const std::uint64_t coins = random.next();
  const bool is_preferred = !preferred_.empty() && (coins & 6U) == 0;
  const std::int32_t a = one_of(is_preferred ? preferred_ : talking_, random);
  if (coins & 1U)
    return {a, mapping.task(random.below(mapping.size()))};
  const std::int32_t partner = one_of(graph_->neighbors(a), random);
  return {a, mapping.task(one_of(vicinity_->of(mapping.slot(partner)), random))};
}

std::int64_t descend(Energy& state, const Proposals& proposals, Random& random, Budget& budget,
                     double until) {
  const std::int64_t patience = 4 * std::int64_t{state.mapping().size()} + 256;
  std::int64_t count = 0;
  for (std::int64_t idle = 0; idle < patience; ++count) {
    if (count % looks_at_clock == looks_at_clock - 1) {
      budget.spend(looks_at_clock);
      if (budget.used() >= until)
        break;
    }
    const auto [a, b] = proposals.next(state.mapping(), random);
    const double change = a == b ? 0 : state.delta(a, b);
    ++idle;
    if (change < 0) {
      state.swap(a, b, change);
      idle = 0;
    }
  }
  return count;
}

void anneal(Energy& state, const Proposals& proposals, Random& random, Budget& budget, Cooling cooling) {
  const double begin = budget.used();
  while (cooling.unit > 0) {
    const double used = budget.used();
    if (used >= cooling.until)
      return;
    const double progress = (used - begin) / (cooling.until - begin);
    const double temperature = cooling.unit * cooling.from * std::pow(cooling.to / cooling.from, progress);
    for (std::int64_t count = 0; count < looks_at_clock; ++count) {
      const auto [a, b] = proposals.next(state.mapping(), random);
      if (a == b)
        continue;
      const double change = state.delta(a, b);
      if (change <= 0 || random.real() < std::exp(-change / temperature))
        state.swap(a, b, change);
    }
    budget.spend(looks_at_clock);
  }
}

} // namespace thalweg::place

#include "place/annealing.hpp"

#include <algorithm>
#include <cmath>

namespace thalweg::place {

namespace {

constexpr std::int64_t looks_at_clock = 512; ///< proposals from one look to the next

/// Replays a mapping into the state.
void restore(HopBytes& state, const Slots& slots) {
  for (std::int32_t task = 0; task < state.mapping().size(); ++task)
    while (state.mapping().slot(task) != slots[static_cast<std::size_t>(task)]) {
      const std::int32_t other = state.mapping().task(slots[static_cast<std::size_t>(task)]);
      state.swap(task, other, state.delta(task, other));
    }
}

double mean_change(const HopBytes& state, const Proposals& proposals, Random& random) {
  constexpr int samples = 256;
  double sum = 0;
  int count = 0;
  for (int sample = 0; sample < samples; ++sample) {
    const auto [a, b] = proposals.next(state.mapping(), random);
    if (const double change = std::abs(state.delta(a, b)); a != b && change > 0) {
      sum += change;
      ++count;
    }
  }
  return count > 0 ? sum / count : 0;
}

} // namespace

Proposals::Proposals(const Graph& graph, const Vicinity& vicinity) : graph_(&graph), vicinity_(&vicinity) {
  for (std::int32_t task = 0; task < graph.vertices(); ++task)
    if (graph.degree(task) > 0)
      talking_.push_back(task);
}

Proposals::Swap Proposals::next(const Mapping& mapping, Random& random) const {
  const std::int32_t a =
      talking_[static_cast<std::size_t>(random.below(static_cast<std::int32_t>(talking_.size())))];
  if (random.next() & 1U)
    return {a, mapping.task(random.below(mapping.size()))};
  const auto neighbors = graph_->neighbors(a);
  const std::int32_t partner =
      neighbors[static_cast<std::size_t>(random.below(static_cast<std::int32_t>(neighbors.size())))];
  const auto near = vicinity_->of(mapping.slot(partner));
  return {a,
          mapping.task(near[static_cast<std::size_t>(random.below(static_cast<std::int32_t>(near.size())))])};
}

void descend(HopBytes& state, const Proposals& proposals, Random& random, Budget& budget, double until) {
  const std::int64_t patience = 4 * std::int64_t{state.mapping().size()} + 256;
  for (std::int64_t count = 0, idle = 0; idle < patience; ++count) {
    if (count % looks_at_clock == looks_at_clock - 1) {
      budget.spend(looks_at_clock);
      if (budget.used() >= until)
        return;
    }
    const auto [a, b] = proposals.next(state.mapping(), random);
    const double change = a == b ? 0 : state.delta(a, b);
    ++idle;
    if (change < 0) {
      state.swap(a, b, change);
      idle = 0;
    }
  }
}

void anneal(HopBytes& state, const Proposals& proposals, Random& random, Budget& budget, Cooling cooling) {
  const double unit = mean_change(state, proposals, random);
  const double begin = budget.used();
  if (unit == 0 || begin >= cooling.until)
    return;
  const Slots first = state.mapping().slot_of;
  const double first_value = state.value();
  while (true) {
    const double progress = (budget.used() - begin) / (cooling.until - begin);
    if (progress >= 1)
      break;
    const double temperature = unit * cooling.from * std::pow(cooling.to / cooling.from, progress);
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
  if (state.value() > first_value)
    restore(state, first);
}

} // namespace thalweg::place

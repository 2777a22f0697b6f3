// SPDX-License-Identifier: BSD-3-Clause
#include "place/annealing.hpp"

#include "base/assertion.hpp"

#include <algorithm>
#include <cmath>
#include <ranges>

namespace thalweg::place {

namespace {

constexpr std::int64_t looks_at_clock = 256; ///< proposals from one look to the next

/// Do swaps keep the value up to date, but for rounding?
bool is_kept(const Energy& state) {
  constexpr double rounding = 1e-6;
  return std::abs(state.recomputed() - state.value()) <= rounding * (1 + std::abs(state.value()));
}

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
  THALWEG_ASSERT(normal, has_any() && mapping.size() == graph_->vertices());
  const std::uint64_t coins = random.next();
  const bool is_preferred = !preferred_.empty() && (coins & 6U) == 0;
  const std::int32_t a = one_of(is_preferred ? preferred_ : talking_, random);
  const auto with = [&](std::int32_t b) { return Swap{a, b == kept_ ? a : b}; };
  if (coins & 1U)
    return with(mapping.task(random.below(mapping.size())));
  const std::int32_t partner = one_of(graph_->neighbors(a), random);
  return with(mapping.task(one_of(vicinity_->of(mapping.slot(partner)), random)));
}

void Proposals::prefer(std::vector<std::int32_t> tasks) {
  preferred_ = std::move(tasks);
  std::erase(preferred_, kept_);
}

void Proposals::keep(std::int32_t task) {
  THALWEG_ASSERT(light, kept_ < 0 && task >= 0 && task < graph_->vertices());
  kept_ = task;
  std::erase(talking_, task);
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
  THALWEG_ASSERT(heavy, is_kept(state) && state.mapping().is_permutation());
  return count;
}

namespace {

/// Exchanges the contents of two regions, swap by swap; takes them back where that is worse by too much.
/// Gives the number of swaps.
std::int64_t exchange_regions(Energy& state, const Regions& regions, Random& random, double temperature,
                              std::vector<Regions::Exchange>& exchanges) {
  regions.propose(random, exchanges);
  double change = 0;
  const auto swap = [&](const Regions::Exchange& slots) {
    const std::int32_t a = state.mapping().task(slots.a);
    const std::int32_t b = state.mapping().task(slots.b);
    const double own = state.delta(a, b);
    state.swap(a, b, own);
    change += own;
  };
  std::ranges::for_each(exchanges, swap);
  const double limit = -temperature * std::log(1 - random.real());
  if (change <= limit)
    return static_cast<std::int64_t>(exchanges.size());
  std::ranges::for_each(std::views::reverse(exchanges), swap);
  return 2 * static_cast<std::int64_t>(exchanges.size());
}

} // namespace

void anneal(Energy& state, const Proposals& proposals, Random& random, Budget& budget, Cooling cooling,
            const Regions* regions) {
  THALWEG_ASSERT(light, cooling.from > 0 && cooling.to > 0 && cooling.unit >= 0);
  const double begin = budget.used();
  std::vector<Regions::Exchange> exchanges;
  std::int64_t saved = 0; ///< proposals that regions may still cost
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
    std::int64_t spent = looks_at_clock;
    constexpr std::int64_t part_for_regions = 4; // large ones wait until they have saved up for it
    for (saved += looks_at_clock / part_for_regions; regions != nullptr && regions->has_any() && saved > 0;) {
      const std::int64_t own = exchange_regions(state, *regions, random, temperature, exchanges) + 1;
      saved -= own;
      spent += own;
    }
    budget.spend(spent);
  }
}

} // namespace thalweg::place

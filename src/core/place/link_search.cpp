// SPDX-License-Identifier: BSD-3-Clause
#include "place/link_search.hpp"

#include "place/mapping.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace thalweg::place {

namespace {

/// Hops count a little in any case, as what saves them relieves links.
constexpr double hops_beside = 0.3;

constexpr double cold_links = 0.0002;    ///< temperatures, as parts of what a proposal changes in the mean
constexpr double warm_links = 0.005;     ///< leaves most as it is
constexpr double hot_links = 0.1;        ///< leaves little
constexpr double passes_for_warm = 1500; ///< proposals a task

/// Cools from a temperature, with exponents that grow: what a low one evens out, a high one finishes.
void cool(const LinkSearch& search, double from, double until) {
  auto& [state, proposals, regions, random, budget, note] = search;
  constexpr int rounds = 24;
  constexpr double hot_part = 0.85;
  constexpr int doublings_first = 3; // the norm's exponents, as powers of 2
  constexpr int doublings_last = 5;
  constexpr double part_first = 0.6;
  constexpr double part_second = 0.85;
  const double begin = budget.used();
  int doublings = 0;
  double unit = 0;
  for (int round = 0; round < rounds && budget.used() < until; ++round) {
    const double progress = static_cast<double>(round) / rounds;
    const int wanted = progress < part_first    ? doublings_first
                       : progress < part_second ? doublings_first + 1
                                                : doublings_last;
    if (wanted != doublings)
      state.set_doublings(wanted);
    proposals.prefer(state.hot_tasks(hot_part));
    if (doublings == 0) {
      unit = mean_change(state, proposals, random);
      budget.spend(change_samples);
    }
    doublings = wanted;
    const auto at = [&](double part) { return from * std::pow(cold_links / from, part); };
    anneal(state, proposals, random, budget,
           {unit, at(progress), at(progress + 1.0 / rounds),
            begin + (until - begin) * (round + 1) / (rounds + 1)},
           regions);
  }
  state.set_doublings(doublings_last + 1);
  proposals.prefer(state.hot_tasks(hot_part));
  descend(state, proposals, random, budget, until);
  proposals.prefer({});
  note();
}

} // namespace

LinkGoal link_goal(const Goal& goal, const pattern::Pattern& pattern, const Metrics& identity,
                   const LinkCosts& costs) {
  LinkGoal found;
  double repeats = 0;
  for (const pattern::Phase& phase : pattern.phases)
    repeats += phase.repeats;
  const auto over = [](double weight, double own) { return own > 0 ? weight / own : 0; };
  const double by_phase = over(goal.contention, identity.phase_link_max) +
                          over(goal.time, identity.seconds) / costs.bytes_per_second;
  const double by_link = over(goal.link, identity.link_max);
  if (by_phase > 0)
    for (const pattern::Phase& phase : pattern.phases)
      if (phase.repeats > 0)
        found.layers.push_back({phase.matrix, by_phase * phase.repeats, 1 / repeats});
  if (by_link > 0)
    found.layers.push_back({pattern::sum(pattern), by_link, 1});
  // The sum of all layers' loads by their weights is hop-bytes so many times.
  const double hops = goal.hop_bytes + hops_beside * (goal.link + goal.contention + goal.time);
  found.hop_weight = over(hops, identity.hop_bytes * (by_phase + by_link));
  return found;
}

void search_links(LinkSearch search, double until) {
  Budget& budget = search.budget;
  const double before = budget.used();
  search.state.set_doublings(3);
  if (!(mean_change(search.state, search.proposals, search.random) > 0))
    return;
  budget.spend(change_samples);
  const double pass = (budget.used() - before) / change_samples * search.state.mapping().size();
  // Where there is no time to cool, annealing begins cold, and spoils nothing.
  const double part = pass > 0 ? std::clamp((until - budget.used()) / pass / passes_for_warm, 0.0, 1.0) : 1;
  double from = std::max(warm_links * std::sqrt(part), 2 * cold_links);
  double cycle = std::max(passes_for_warm * pass, 1e-3);
  while (budget.used() < until) {
    const double left = until - budget.used();
    cool(search, from, left < 2 * cycle ? until : budget.used() + cycle);
    from = from == hot_links ? warm_links : hot_links;
    cycle *= from == hot_links ? 2 : 1;
  }
}

std::vector<pattern::Edge> messages_over(topology::Link link, const pattern::Matrix& matrix,
                                         const machine::Allocation& allocation, const Slots& slot_of) {
  std::vector<pattern::Edge> found;
  std::vector<topology::LinkShare> route;
  for (pattern::Edge edge : matrix.edges()) {
    route.clear();
    allocation.interconnect->append_route(allocation.slots[at(slot_of[at(edge.from)])],
                                          allocation.slots[at(slot_of[at(edge.to)])], route);
    for (const topology::LinkShare& crossed : route)
      if (crossed.link == link) {
        edge.bytes *= crossed.share;
        found.push_back(edge);
        break;
      }
  }
  std::ranges::stable_sort(found, std::greater{}, &pattern::Edge::bytes);
  return found;
}

std::optional<Relief> best_relief(const pattern::Matrix& matrix, const machine::Allocation& allocation,
                                  const Slots& slot_of, std::size_t tasks_max,
                                  const std::vector<double>& base_load) {
  Mapping mapping = completed(slot_of, allocation.slots.size());
  Routes routes(allocation);
  std::vector<double> others = base_load;
  for (std::size_t link = 0; link < others.size(); ++link)
    others[link] /= allocation.interconnect->capacity(static_cast<topology::Link>(link));
  LinkEnergy energy({{matrix, 1, 1}}, 0, routes, mapping, others);
  const std::vector<std::size_t> ranking = energy.ranking();
  Relief best{-1, 0, energy.peak_after(ranking)}; // of no swap: before the first delta() nothing is touched
  std::vector<std::int32_t> tasks = energy.hot_tasks(1);
  tasks.resize(std::min(tasks.size(), tasks_max));
  for (const std::int32_t task : tasks)
    for (std::int32_t slot = 0; slot < mapping.size(); ++slot) {
      if (slot == mapping.slot(task))
        continue;
      energy.delta(task, mapping.task(slot));
      if (const Peak peak = energy.peak_after(ranking); peak.is_below(best.peak))
        best = {task, slot, peak};
    }
  return best.task < 0 ? std::nullopt : std::optional(best);
}

} // namespace thalweg::place

#include "place/link_search.hpp"

#include <algorithm>
#include <cmath>

namespace thalweg::place {

namespace {

/// Hops count a little in any case, as what saves them relieves links.
constexpr double hops_beside = 0.3;

/// Where there is no time to cool, annealing begins cold, and spoils nothing. `pass` is the part of the
/// budget that a proposal for each task takes, `left` the part that is left.
double first_temperature(double cold, double hot, double pass, double left) {
  constexpr double passes_for_hot = 1500;
  const double part = pass > 0 ? std::clamp(left / pass / passes_for_hot, 0.0, 1.0) : 1;
  return std::max(hot * std::sqrt(part), 2 * cold);
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

void search_links(LinkEnergy& state, Proposals& proposals, Random& random, Budget& budget, double until) {
  constexpr int rounds = 24;
  constexpr double hot_part = 0.85;
  const double begin = budget.used();
  constexpr double from_max = 0.005;
  constexpr double to = 0.0002;
  double from = from_max;
  // The norm's exponents, as powers of 2: what a low one evens out, a high one finishes.
  constexpr int doublings_first = 3;
  constexpr int doublings_last = 5;
  constexpr double part_first = 0.6;
  constexpr double part_second = 0.85;
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
      const double before = budget.used();
      unit = mean_change(state, proposals, random);
      budget.spend(change_samples);
      from =
          first_temperature(to, from_max, (budget.used() - before) / change_samples * state.mapping().size(),
                            until - budget.used());
    }
    doublings = wanted;
    const auto at = [&](double part) { return from * std::pow(to / from, part); };
    anneal(state, proposals, random, budget,
           {unit, at(progress), at(progress + 1.0 / rounds),
            begin + (until - begin) * (round + 1) / (rounds + 1)});
  }
  state.set_doublings(doublings_last + 1);
  proposals.prefer(state.hot_tasks(hot_part));
  descend(state, proposals, random, budget, until);
  proposals.prefer({});
}

} // namespace thalweg::place

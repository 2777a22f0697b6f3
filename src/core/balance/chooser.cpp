// SPDX-License-Identifier: BSD-3-Clause
#include "balance/chooser.hpp"

#include "base/assertion.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace thalweg::balancing {

namespace {

/// What a flow keeps busy at a rank, in seconds.
struct Occupancy {
  double processor = 0;
  double link_out = 0;
  double link_in = 0;

  double longest() const { return std::max({processor, link_out, link_in}); }
};

} // namespace

double exchange_seconds(std::int32_t ranks, const Flow& flow, std::int64_t hop_tasks, const Costs& costs) {
  THALWEG_ASSERT(light, ranks > 0 && hop_tasks >= 0 && costs.task_bytes >= 0);
  std::vector<Occupancy> busy(static_cast<std::size_t>(ranks));
  double latency = 0;
  double gap_per_byte = 0;
  for (const Transfer& transfer : flow) {
    const auto bytes = static_cast<double>(transfer.tasks) * static_cast<double>(costs.task_bytes);
    const machine::MessageCost& cost = costs.messages.at(
        static_cast<std::int64_t>(std::min(bytes, 1e18))); // beyond, the last range holds anyway
    Occupancy& from = busy[static_cast<std::size_t>(transfer.from)];
    Occupancy& to = busy[static_cast<std::size_t>(transfer.to)];
    from.processor += cost.send.value + cost.send_per_byte.value * bytes;
    to.processor += cost.receive.value + cost.receive_per_byte.value * bytes;
    from.link_out += std::max(cost.gap.value, cost.gap_per_byte.value * bytes);
    to.link_in += std::max(cost.gap.value, cost.gap_per_byte.value * bytes);
    latency = std::max(latency, cost.latency.value);
    gap_per_byte = std::max(gap_per_byte, cost.gap_per_byte.value);
  }
  double longest = 0;
  for (const Occupancy& rank : busy)
    longest = std::max(longest, rank.longest());
  if (costs.links > 0)
    longest = std::max(longest, static_cast<double>(hop_tasks) * static_cast<double>(costs.task_bytes) *
                                    gap_per_byte / static_cast<double>(costs.links));
  return longest + latency;
}

double work_seconds(std::span<const Tasks> loads, std::span<const Tasks> speeds, const Costs& costs) {
  const double mean_speed =
      speeds.empty() ? 1
                     : std::reduce(speeds.begin(), speeds.end(), 0.0) / static_cast<double>(speeds.size());
  double longest = 0;
  for (std::size_t rank = 0; rank < loads.size(); ++rank) {
    if (loads[rank] == 0)
      continue;
    // A rank of speed 0 that is left with tasks is as slow as the slowest that can be written.
    const double speed = speeds.empty() ? 1 : std::max(static_cast<double>(speeds[rank]), 1.0) / mean_speed;
    longest = std::max(longest, static_cast<double>(loads[rank]) / speed);
  }
  return longest * costs.task_seconds * costs.steps;
}

Candidate candidate_of(Scheme scheme, const Problem& problem, const Costs& costs, const Hops& hops) {
  Candidate candidate{scheme, flow_of(scheme, problem)};
  candidate.figures = metrics(problem.ranks(), candidate.flow);
  candidate.hop_tasks = hops ? hop_tasks(candidate.flow, hops) : 0;
  candidate.exchange_seconds = exchange_seconds(problem.ranks(), candidate.flow, candidate.hop_tasks, costs);
  candidate.work_seconds = work_seconds(applied(problem.loads, candidate.flow), problem.speeds, costs);
  return candidate;
}

std::vector<Candidate> candidates(const Problem& problem, const Costs& costs, const Hops& hops) {
  std::vector<Candidate> found;
  for (const SchemeEntry& entry : schemes())
    if (entry.scheme != Scheme::alias_printed && is_able(entry.scheme, problem))
      found.push_back(candidate_of(entry.scheme, problem, costs, hops));
  return found;
}

std::size_t chosen(std::span<const Candidate> candidates, Scheme incumbent, double hysteresis) {
  THALWEG_ASSERT(light, !candidates.empty());
  const auto best = std::ranges::min_element(candidates, {}, [](const Candidate& candidate) {
    return std::pair(candidate.seconds(), candidate.hop_tasks);
  });
  const auto current = std::ranges::find(candidates, incumbent, &Candidate::scheme);
  const bool changes = current == candidates.end() || evidence::pays({.before_seconds = current->seconds(),
                                                                      .after_seconds = best->work_seconds,
                                                                      .cost_seconds = best->exchange_seconds},
                                                                     hysteresis);
  return static_cast<std::size_t>((changes ? best : current) - candidates.begin());
}

Verdict verdict_of(const Summary& all, const Terms& terms, const machine::LevelCosts& messages) {
  THALWEG_ASSERT(light, all.ranks > 0 && all.fault == Fault::none);
  Verdict verdict;
  if (all.load <= 0 || all.speed <= 0)
    return verdict;
  const double even = all.load / all.speed; // seconds, in some unit
  const double excess = all.slowest.load - even * all.slowest.speed;
  const double lack = even * all.fastest.speed - all.fastest.load;
  verdict.imbalance = all.slowest.seconds() / even;
  const double bytes = std::max(excess, lack) * all.bytes / all.load;
  const Costs costs{.messages = messages,
                    .task_bytes = static_cast<std::int64_t>(std::clamp(bytes, 0.0, 1e18))};
  verdict.predicted_seconds = exchange_seconds(2, {{0, 1, 1}}, 0, costs);
  verdict.exchange_seconds = verdict.predicted_seconds * (all.cost_factor > 0 ? all.cost_factor : 1);
  const double mean_speed = all.speed / all.ranks;
  verdict.gain_seconds = (all.slowest.seconds() - even) * mean_speed * all.load_seconds * terms.steps;
  const bool pays =
      all.load_seconds <= 0 ||
      (verdict.gain_seconds > terms.min_gain_seconds &&
       evidence::pays({.before_seconds = verdict.gain_seconds, .cost_seconds = verdict.exchange_seconds},
                      terms.hysteresis));
  verdict.is_worth = pays && verdict.imbalance > 1 + terms.threshold;
  return verdict;
}

} // namespace thalweg::balancing

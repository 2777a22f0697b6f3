// SPDX-License-Identifier: BSD-3-Clause
#include "place/objectives.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

namespace thalweg::place {

namespace {

topology::Place place_of(const machine::Allocation& allocation, const Slots& slot_of, std::int32_t task) {
  return allocation.slots[static_cast<std::size_t>(slot_of[static_cast<std::size_t>(task)])];
}

double busiest_task(const pattern::Matrix& matrix) {
  std::vector<double> ends(static_cast<std::size_t>(matrix.tasks()));
  for (const pattern::Edge& edge : matrix.edges()) {
    ends[static_cast<std::size_t>(edge.from)] += edge.messages;
    ends[static_cast<std::size_t>(edge.to)] += edge.messages;
  }
  return ends.empty() ? 0 : *std::ranges::max_element(ends);
}

/// Fills in what is of the links between switches.
void count_between(const std::vector<double>& loads, const topology::Interconnect& machine, Metrics& found) {
  double sum = 0;
  for (std::size_t link = 0; link < loads.size(); ++link) {
    if (loads[link] <= 0 || is_nodes_own(machine, static_cast<topology::Link>(link)))
      continue;
    found.between_max = std::max(found.between_max, loads[link]);
    const double square = loads[link] / found.link_max * (loads[link] / found.link_max);
    sum += square * square * square * square;
  }
  found.between_norm = found.link_max * std::pow(sum, 0.125);
}

} // namespace

bool is_nodes_own(const topology::Interconnect& machine, topology::Link link) {
  const auto [from, to] = machine.ends(link);
  return (from < machine.nodes()) != (to < machine.nodes());
}

std::vector<double> link_loads(const pattern::Matrix& matrix, const machine::Allocation& allocation,
                               const Slots& slot_of) {
  const topology::Interconnect& machine = *allocation.interconnect;
  std::vector<double> loads(static_cast<std::size_t>(machine.links()));
  std::vector<topology::LinkShare> route;
  for (const pattern::Edge& edge : matrix.edges()) {
    route.clear();
    machine.append_route(place_of(allocation, slot_of, edge.from), place_of(allocation, slot_of, edge.to),
                         route);
    for (const auto& [link, share] : route)
      loads[static_cast<std::size_t>(link)] += edge.bytes * share / machine.capacity(link);
  }
  return loads;
}

Metrics metrics(const pattern::Pattern& pattern, const machine::Allocation& allocation, const Slots& slot_of,
                const std::vector<double>& base_load, const LinkCosts& costs) {
  THALWEG_ASSERT(light, slot_of.size() >= static_cast<std::size_t>(pattern.tasks));
  THALWEG_ASSERT(light, base_load.empty() || std::ssize(base_load) == allocation.interconnect->links());
  Metrics found;
  double bytes = 0;
  double repeats = 0;
  for (const pattern::Phase& phase : pattern.phases)
    repeats += phase.repeats;
  std::vector<double> total = base_load;
  total.resize(static_cast<std::size_t>(allocation.interconnect->links()));
  for (std::size_t link = 0; link < base_load.size(); ++link)
    total[link] /= allocation.interconnect->capacity(static_cast<topology::Link>(link));
  for (const pattern::Phase& phase : pattern.phases) {
    std::int64_t hops_max = 0;
    for (const pattern::Edge& edge : phase.matrix.edges()) {
      const std::int64_t hops = allocation.interconnect->hops(place_of(allocation, slot_of, edge.from),
                                                              place_of(allocation, slot_of, edge.to));
      hops_max = std::max(hops_max, hops);
      found.hop_bytes += phase.repeats * edge.bytes * static_cast<double>(hops);
      bytes += phase.repeats * edge.bytes;
    }
    const std::vector<double> loads = link_loads(phase.matrix, allocation, slot_of);
    double load_max = 0;
    for (std::size_t link = 0; link < loads.size(); ++link) {
      total[link] += phase.repeats * loads[link];
      const double others = base_load.empty()
                                ? 0
                                : base_load[link] / repeats /
                                      allocation.interconnect->capacity(static_cast<topology::Link>(link));
      load_max = std::max(load_max, loads[link] + others);
    }
    found.phase_link_max += phase.repeats * load_max;
    found.seconds += phase.repeats *
                     (load_max / costs.bytes_per_second + static_cast<double>(hops_max) * costs.hop_seconds +
                      busiest_task(phase.matrix) * costs.message_seconds);
  }
  found.hops_per_byte = bytes > 0 ? found.hop_bytes / bytes : 0;
  found.link_max = total.empty() ? 0 : *std::ranges::max_element(total);
  count_between(total, *allocation.interconnect, found);
  return found;
}

namespace {

struct Objective {
  std::string_view name;
  double Goal::*weight;
  double Metrics::*metric;
};

constexpr std::array objectives{
    Objective{"hop-bytes", &Goal::hop_bytes, &Metrics::hop_bytes},
    Objective{"link", &Goal::link, &Metrics::link_max},
    Objective{"contention", &Goal::contention, &Metrics::phase_link_max},
    Objective{"time", &Goal::time, &Metrics::seconds},
};

[[noreturn]] void refuse(std::string_view text) {
  throw Error(fmt::format("an objective {}", text),
              "choose hop-bytes, link, contention or time, or a mixture: hop-bytes:1,contention:2");
}

double weight_of(std::string_view part, std::size_t colon) {
  if (colon == std::string_view::npos)
    return 1;
  const std::string number(part.substr(colon + 1));
  char* end = nullptr;
  const double weight = std::strtod(number.c_str(), &end);
  if (number.empty() || end != number.c_str() + number.size() || !std::isfinite(weight) || weight < 0)
    refuse(part);
  return weight;
}

} // namespace

Goal parse_goal(std::string_view text) {
  Goal goal{0, 0, 0, 0};
  double sum = 0;
  for (std::string_view left = text; !left.empty();) {
    const std::string_view part = left.substr(0, left.find(','));
    left.remove_prefix(std::min(left.size(), part.size() + 1));
    const std::size_t colon = part.find(':');
    bool is_known = false;
    for (const Objective& objective : objectives)
      if (objective.name == part.substr(0, colon)) {
        goal.*objective.weight = weight_of(part, colon);
        sum += goal.*objective.weight;
        is_known = true;
      }
    if (!is_known)
      refuse(text);
  }
  if (!(sum > 0) || !std::isfinite(sum))
    refuse(text);
  return goal;
}

std::string name(const Goal& goal) {
  std::string text;
  for (const Objective& objective : objectives)
    if (const double weight = goal.*objective.weight; weight > 0)
      text += fmt::format("{}{}:{}", text.empty() ? "" : ",", objective.name, weight);
  return text;
}

double value(const Goal& goal, const Metrics& metrics, const Metrics& identity) {
  double sum = 0;
  double weights = 0;
  for (const Objective& objective : objectives) {
    const double weight = goal.*objective.weight;
    weights += weight;
    if (weight > 0 && identity.*objective.metric > 0)
      sum += weight * (metrics.*objective.metric / identity.*objective.metric);
    else if (weight > 0)
      sum += weight * (metrics.*objective.metric > 0 ? 2 : 1); // what identity has for nothing stays so
  }
  THALWEG_ASSERT(light, weights > 0);
  return sum / weights;
}

bool is_better(const Goal& goal, const Metrics& one, const Metrics& other, const Metrics& identity) {
  constexpr double rounding = 1e-9;
  const auto differ = [](double a, double b) { return std::abs(a - b) > rounding * std::max(a, b); };
  const double own = value(goal, one, identity);
  const double others = value(goal, other, identity);
  if (differ(own, others) || !goal.needs_links())
    return own < others;
  for (const auto metric : {&Metrics::between_max, &Metrics::between_norm, &Metrics::hop_bytes})
    if (differ(one.*metric, other.*metric))
      return one.*metric < other.*metric;
  return false;
}

} // namespace thalweg::place

#include "place/map.hpp"

#include "core/error.hpp"
#include "place/annealing.hpp"
#include "place/growth.hpp"

#include <array>
#include <fmt/format.h>
#include <utility>

namespace thalweg::place {

namespace {

constexpr std::array objectives{
    std::pair{Objective::hop_bytes, std::string_view("hop-bytes")},
    std::pair{Objective::link, std::string_view("link")},
    std::pair{Objective::contention, std::string_view("contention")},
    std::pair{Objective::time, std::string_view("time")},
};

void check_problem(const pattern::Pattern& pattern, const machine::Allocation& allocation,
                   const Options& options) {
  const topology::Interconnect& machine = *allocation.interconnect;
  if (pattern.tasks < 1)
    throw Error(fmt::format("a pattern of {} tasks", pattern.tasks), "give one with at least one task");
  if (static_cast<std::size_t>(pattern.tasks) > allocation.slots.size())
    throw Error(
        fmt::format("{} tasks for {} slots of {}", pattern.tasks, allocation.slots.size(), machine.name()),
        "give more nodes, or more slots a node, or put tasks together first");
  for (const pattern::Phase& phase : pattern.phases)
    if (phase.matrix.tasks() != pattern.tasks || !(phase.repeats >= 0))
      throw Error(fmt::format("phase {} of {} tasks, {} times, in a pattern of {}", phase.name,
                              phase.matrix.tasks(), phase.repeats, pattern.tasks),
                  "give all phases the same tasks, and repeats from 0");
  for (const topology::Place place : allocation.slots)
    if (place < 0 || place >= machine.nodes())
      throw Error(
          fmt::format("a slot on node {} of {}, which has {}", place, machine.name(), machine.nodes()),
          "name nodes of the machine");
  for (topology::Link link = 0; link < machine.links(); ++link)
    if (!(machine.capacity(link) > 0))
      throw Error(fmt::format("link {} has capacity {}", machine.link_name(link), machine.capacity(link)),
                  "give it one above 0, or leave the link out of the machine");
  if (!options.base_load.empty() && options.base_load.size() != static_cast<std::size_t>(machine.links()))
    throw Error(fmt::format("base loads of {} links, where {} has {}", options.base_load.size(),
                            machine.name(), machine.links()),
                "give one for each link, or none");
  if (!(options.seconds >= 0) || options.proposals < 0)
    throw Error(fmt::format("a budget of {} seconds and {} proposals", options.seconds, options.proposals),
                "give numbers from 0");
}

Slots first_of(Slots slots, std::int32_t tasks) {
  slots.resize(static_cast<std::size_t>(tasks));
  return slots;
}

} // namespace

std::string_view name(Objective objective) {
  return objectives[static_cast<std::size_t>(objective)].second;
}

Objective parse_objective(std::string_view text) {
  for (const auto& [objective, name] : objectives)
    if (name == text)
      return objective;
  throw Error(fmt::format("no objective is called {}", text), "choose hop-bytes, link, contention or time");
}

double value_of(const Metrics& metrics, Objective objective) {
  switch (objective) {
  case Objective::hop_bytes:
    return metrics.hop_bytes;
  case Objective::link:
    return metrics.link_max;
  case Objective::contention:
    return metrics.phase_link_max;
  case Objective::time:
    break;
  }
  return metrics.seconds;
}

Result map(const pattern::Pattern& pattern, const machine::Allocation& allocation, const Options& options) {
  check_problem(pattern, allocation, options);
  Budget budget(options.seconds, options.proposals, options.clock);
  const auto slots = static_cast<std::int32_t>(allocation.slots.size());
  const auto measured = [&](const Slots& slot_of) {
    return metrics(pattern, allocation, slot_of, options.base_load, options.costs);
  };
  Result result;
  result.slot_of = first_of(Mapping::identity(slots).slot_of, pattern.tasks);
  result.identity = result.placed = measured(result.slot_of);
  result.method = "identity";
  const Graph graph(pattern::sum(pattern), slots);
  const Distances distances(allocation);
  const Vicinity vicinity(distances);
  const Proposals proposals(graph, vicinity);
  if (!proposals.has_any() || slots < 2)
    return result;
  Random random(options.seed);
  Mapping mapping = grown(graph, distances, heaviest_task(graph), central_slots(distances).front());
  HopBytes state(graph, distances, mapping);
  descend(state, proposals, random, budget, 1);
  anneal(state, proposals, random, budget, {});
  descend(state, proposals, random, budget, 1);
  const Slots found = first_of(mapping.slot_of, pattern.tasks);
  const Metrics placed = measured(found);
  if (value_of(placed, options.objective) < value_of(result.placed, options.objective)) {
    result.slot_of = found;
    result.placed = placed;
    result.method = "growth+annealing";
  }
  result.seconds = budget.elapsed();
  return result;
}

} // namespace thalweg::place

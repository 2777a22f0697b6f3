// SPDX-License-Identifier: BSD-3-Clause
#include "place/problem.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

namespace thalweg::place {

void check_problem(const pattern::Pattern& pattern, const machine::Allocation& allocation,
                   const std::vector<double>& base_load) {
  const topology::Interconnect& machine = *allocation.interconnect;
  if (pattern.tasks < 1)
    throw Error(fmt::format("a pattern of {} tasks", pattern.tasks), "give one with at least one task");
  if (static_cast<std::size_t>(pattern.tasks) > allocation.slots.size())
    throw Error(
        fmt::format("{} tasks for {} slots of {}", pattern.tasks, allocation.slots.size(), machine.name()),
        "give more nodes, or more slots a node, or let tasks share slots");
  for (const pattern::Phase& phase : pattern.phases)
    if (phase.matrix.tasks() != pattern.tasks || !pattern::is_amount(phase.repeats))
      throw Error(
          fmt::format("phase {} of {} tasks, {} times, in a pattern of {}", phase.name, phase.matrix.tasks(),
                      phase.repeats, pattern.tasks),
          fmt::format("give all phases the same tasks, and repeats from 0 to {}", pattern::amount_max));
  for (const topology::Place place : allocation.slots)
    if (place < 0 || place >= machine.nodes())
      throw Error(
          fmt::format("a slot on node {} of {}, which has {}", place, machine.name(), machine.nodes()),
          "name nodes of the machine");
  for (topology::Link link = 0; link < machine.links(); ++link)
    if (!(machine.capacity(link) > 0))
      throw Error(fmt::format("link {} has capacity {}", machine.link_name(link), machine.capacity(link)),
                  "give it one above 0, or leave the link out of the machine");
  if (!base_load.empty() && base_load.size() != static_cast<std::size_t>(machine.links()))
    throw Error(fmt::format("base loads of {} links, where {} has {}", base_load.size(), machine.name(),
                            machine.links()),
                "give one for each link, or none");
  for (const double load : base_load)
    if (!pattern::is_amount(load))
      throw Error(fmt::format("a base load of {} bytes", load),
                  fmt::format("give numbers from 0 to {}", pattern::amount_max));
}

} // namespace thalweg::place

// SPDX-License-Identifier: BSD-3-Clause
#include "job/knowledge.hpp"

#include "machine/machine.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace thalweg::job {

namespace {

bool has_network(const machine::Machine& machine) {
  return std::ranges::any_of(machine.levels, [](const machine::LevelCosts& costs) {
    return costs.level == machine::Level::network;
  });
}

bool is_alike(const machine::Machine& machine, const machine::Fingerprint& group) {
  return machine.mpi == group.mpi && machine.transport == group.transport &&
         machine.title.starts_with(group.processor) && has_network(machine) == (group.nodes > 1);
}

} // namespace

machine::Fingerprint fingerprint(const Placement& placement, const std::string& library,
                                 machine::Environment environment) {
  machine::Fingerprint found = machine::local_fingerprint(environment);
  found.mpi = library;
  found.cores = placement.cores;
  found.quota = placement.quota_centicores == UINT32_MAX
                    ? "none"
                    : fmt::format("{:g}", placement.quota_centicores / 100.0);
  found.nodes = placement.node_count;
  found.ranks_per_node = placement.min_on_node == placement.max_on_node
                             ? fmt::format("{}", placement.max_on_node)
                             : fmt::format("{}..{}", placement.min_on_node, placement.max_on_node);
  return found;
}

FoundPicks find_picks(const std::string& path, const machine::Fingerprint& group) {
  if (path.empty())
    return {};
  const tune::TuningFile file = tune::load_tuning(path);
  if (const tune::Tuning* const known = tune::find_tuning(file, group)) {
    const std::size_t count = known->picks.size() + known->nonblocking.size();
    return {known->picks,    fmt::format("tuning file {}: {} {}", path, count, count == 1 ? "pick" : "picks"),
            known->streams,  known->nonblocking,
            known->brackets, known->of_teams};
  }
  if (file.empty())
    return {{}, fmt::format("no tuning file {}", path)};
  return {{},
          fmt::format("tuning file {} is of other machines or jobs ({})", path,
                      machine::differences(group, file.back().machine))};
}

KnownMachine find_machine(const machine::Fingerprint& group, const std::string& tuning_path,
                          const char* named) {
  if (named != nullptr)
    return {machine::load_machine(named), true};
  std::vector<machine::Machine> probed = machine::probed_machines(tuning_path);
  auto found = std::ranges::find(probed, machine::describe(group), &machine::Machine::title);
  if (found == probed.end())
    found = std::ranges::find_if(probed,
                                 [&](const machine::Machine& machine) { return is_alike(machine, group); });
  if (found != probed.end())
    return {std::move(*found), true};
  machine::Machine assumed = machine::default_machine();
  assumed.cores = static_cast<std::int32_t>(group.cores);
  return {std::move(assumed), false};
}

void add_described_network(machine::Machine& machine, const std::string& node_list, const char* described) {
  if (machine.network.empty() && node_list.empty() && described != nullptr)
    machine.network = described;
}

} // namespace thalweg::job

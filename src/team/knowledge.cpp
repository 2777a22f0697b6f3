#include "team/knowledge.hpp"

#include "machine/probed_machines.hpp"
#include "team/mpi_calls.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

namespace thalweg::teams {

namespace {

const char* environment(const char* name) {
  return std::getenv(name);
}

machine::Fingerprint fingerprint_for(const Group& group) {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  must(MPI_Get_library_version(text.data(), &length), "MPI_Get_library_version");
  machine::Fingerprint found = machine::local_fingerprint(environment);
  found.mpi = machine::library_name(text.data());
  found.cores = group.cores();
  found.nodes = group.node_count();
  found.ranks_per_node = "any";
  return found;
}

std::string tuning_path() {
  const char* const given = environment("THALWEG_TUNING");
  if (given == nullptr)
    return machine::standard_tuning_path(environment);
  return std::string_view(given) == "off" ? "" : given;
}

// Teams are parts of jobs, which are what was probed: what decides is the library, its transport, and whether
// there is a network.
std::optional<machine::Machine> find_machine(const Group& group, const machine::Fingerprint& wanted,
                                             const std::string& tuning) {
  if (const char* const named = environment("THALWEG_MACHINE"))
    return machine::load_machine(named);
  const auto has_network = [](const machine::Machine& machine) {
    return std::ranges::any_of(machine.levels, [](const machine::LevelCosts& costs) {
      return costs.level == machine::Level::network;
    });
  };
  for (machine::Machine& machine : machine::probed_machines(tuning))
    if (machine.mpi == wanted.mpi && machine.transport == wanted.transport &&
        machine.title.starts_with(wanted.processor) && has_network(machine) == group.has_far_ranks())
      return std::move(machine);
  return std::nullopt;
}

std::vector<tune::Pick> find_picks(const Group& group, const machine::Fingerprint& wanted,
                                   const std::string& tuning) {
  std::vector<tune::Pick> picks;
  try {
    for (const tune::Tuning& known : tune::load_tuning(tuning))
      if (known.machine.processor == wanted.processor && known.machine.kernel == wanted.kernel &&
          known.machine.mpi == wanted.mpi && known.machine.transport == wanted.transport)
        std::ranges::copy_if(known.picks, std::back_inserter(picks), [&](const tune::Pick& pick) {
          return pick.ranks == group.ranks() && pick.nodes == group.node_count();
        });
  } catch (const std::exception&) { // `thalweg tune` and `thalweg run` tell of such files
    picks.clear();
  }
  return picks;
}

void spread(std::string& text, MPI_Comm communicator) {
  auto length = static_cast<std::int64_t>(text.size());
  must(MPI_Bcast(&length, 1, MPI_INT64_T, 0, communicator), "MPI_Bcast");
  text.resize(static_cast<std::size_t>(length));
  must(MPI_Bcast(text.data(), static_cast<int>(length), MPI_BYTE, 0, communicator), "MPI_Bcast");
}

} // namespace

Knowledge agree_on_knowledge(const Group& group) {
  std::string machine;
  std::string tuning;
  std::string error;
  std::string remedy;
  if (group.rank() == 0) {
    const machine::Fingerprint wanted = fingerprint_for(group);
    const std::string path = tuning_path();
    try {
      const std::optional<machine::Machine> found = find_machine(group, wanted, path);
      machine = found ? machine::to_text(*found) : "";
      tuning = tune::to_text({{wanted, find_picks(group, wanted, path)}});
    } catch (const Error& failed) {
      error = failed.problem();
      remedy = failed.remedy();
    }
  }
  for (std::string* const text : {&machine, &tuning, &error, &remedy})
    spread(*text, group.communicator());
  if (!error.empty())
    throw Error(error, remedy);
  Knowledge knowledge{machine::standard_machine(), !machine.empty(), {}};
  knowledge.machine.cores = group.cores();
  if (knowledge.is_probed)
    knowledge.machine = machine::parse_machine(machine, "the first rank's machine file");
  const tune::TuningFile found = tune::parse_tuning(tuning, "the first rank's tuning file");
  if (!found.empty())
    knowledge.picks = found.front().picks;
  return knowledge;
}

} // namespace thalweg::teams

#include "mpi/tuning.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "machine/probed_machines.hpp"
#include "mpi/runtime.hpp"
#include "mpi/user_settings.hpp"
#include "tune/agreed_picks.hpp"
#include "tune/tuning_file.hpp"

namespace thalweg::mpi {

namespace {

const char* environment(const char* name) {
  return std::getenv(name);
}

// The machine that was probed under this fingerprint.
machine::Machine find_machine() {
  const machine::Fingerprint fingerprint = job_fingerprint();
  const std::string title = machine::describe(fingerprint);
  for (machine::Machine& machine : machine::probed_machines(runtime.settings.tuning))
    if (machine.title == title)
      return std::move(machine);
  machine::Machine standard = machine::standard_machine();
  standard.cores = static_cast<std::int32_t>(fingerprint.cores);
  return standard;
}

} // namespace

machine::Fingerprint job_fingerprint() {
  machine::Fingerprint fingerprint = machine::local_fingerprint(environment);
  const Placement& placement = runtime.placement;
  fingerprint.mpi = runtime.library_version;
  fingerprint.cores = placement.cores;
  fingerprint.quota = placement.quota_centicores == UINT32_MAX
                          ? "none"
                          : fmt::format("{:g}", placement.quota_centicores / 100.0);
  fingerprint.nodes = placement.node_count;
  fingerprint.ranks_per_node = placement.fewest_on_node == placement.most_on_node
                                   ? fmt::format("{}", placement.most_on_node)
                                   : fmt::format("{}..{}", placement.fewest_on_node, placement.most_on_node);
  return fingerprint;
}

std::string fingerprint_text() {
  const machine::Fingerprint f = job_fingerprint();
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", f.processor, f.cores, f.quota, f.kernel, f.mpi,
                     f.transport, f.nodes, f.ranks_per_node);
}

FoundTuning read_tuning(const std::string& path) {
  if (path.empty())
    return {};
  if (const std::vector<std::string> own = user_algorithms(); !own.empty())
    return {"", fmt::format("tuning file not used: the user's {} comes first", own.front())};
  const tune::TuningFile file = tune::load_tuning(path);
  const machine::Fingerprint machine = job_fingerprint();
  const tune::Tuning* tuning = tune::find_tuning(file, machine);
  const bool library_was_told = environment("THALWEG_LIBRARY_RULES") != nullptr;
  if (tuning == nullptr)
    return {"", file.empty()
                    ? fmt::format("no tuning file {}", path)
                    : fmt::format("tuning file {} is of other machines or jobs ({}){}", path,
                                  machine::differences(machine, file.back().machine),
                                  library_was_told ? "; the library was told of its picks nonetheless" : "")};
  const auto of_library = std::ranges::count_if(
      tuning->picks, [](const tune::Pick& pick) { return tune::is_of_library(pick.use); });
  std::string reason = fmt::format("tuning file {}: {} picks", path, tuning->picks.size());
  if (of_library > 0)
    reason += fmt::format(", {} of them the library's own algorithms, of which it was {}told", of_library,
                          library_was_told ? "" : "not ");
  return {tune::pack_picks(tuning->picks, library_was_told), reason};
}

const machine::Machine& known_machine() {
  static const machine::Machine machine = find_machine();
  return machine;
}

void save_learned(const std::vector<tune::Pick>& picks) {
  const std::string& path = runtime.settings.tuning;
  if (path.empty() || picks.empty())
    return;
  try {
    tune::save_tuning(path, {job_fingerprint(), picks});
  } catch (const std::exception& error) {
    say(fmt::format("what was learned is lost: {}", error.what()));
  }
}

} // namespace thalweg::mpi

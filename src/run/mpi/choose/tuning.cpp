// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/choose/tuning.hpp"

#include "machine/machine.hpp"
#include "mpi/choose/effect.hpp"
#include "mpi/state/runtime.hpp"
#include "mpi/state/settings.hpp"

#include <cstdlib>
#include <fmt/format.h>

namespace thalweg::mpi {

namespace {

const char* environment(const char* name) {
  return std::getenv(name);
}

bool is_of_library(const tune::Pick& pick) {
  return std::holds_alternative<strategies::Library>(pick.use) && !strategies::is_native(pick.use);
}

} // namespace

machine::Fingerprint job_fingerprint() {
  return job::fingerprint(runtime.world.placement, runtime.library_version, environment);
}

std::string fingerprint_text() {
  const machine::Fingerprint f = job_fingerprint();
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", f.processor, f.cores, f.quota, f.kernel, f.mpi,
                     f.transport, f.nodes, f.ranks_per_node);
}

job::FoundPicks read_tuning(const std::string& path) {
  if (path.empty())
    return {};
  if (const std::vector<std::string> own = user_algorithms(); !own.empty())
    return {{}, fmt::format("tuning file not used: the user's {} comes first", own.front())};
  job::FoundPicks found = job::find_picks(path, job_fingerprint());
  for (tune::Pick& pick : found.nonblocking)
    pick.use = in_effect(pick.use, pick.fallback);
  std::size_t of_library = 0;
  for (tune::Pick& pick : found.picks) {
    of_library += is_of_library(pick) ? 1 : 0;
    pick.use = in_effect(pick.use, pick.fallback);
  }
  if (of_library > 0)
    found.reason += fmt::format(", {} of them the library's own algorithms, of which it was {}told",
                                of_library, library_has_rules() ? "" : "not ");
  else if (found.picks.empty() && library_has_rules())
    found.reason += "; the library was told of its picks nonetheless";
  return found;
}

const machine::Machine& known_machine() {
  static const job::KnownMachine known =
      job::find_machine(job_fingerprint(), runtime.settings.tuning, nullptr);
  return known.machine;
}

machine::Machine network_machine() {
  machine::Machine machine;
  try {
    const std::string& tuning = runtime.settings.tuning;
    const std::string path = tuning.empty() ? machine::default_tuning_path(environment) : tuning;
    machine = job::find_machine(job_fingerprint(), path, environment("THALWEG_MACHINE")).machine;
  } catch (const std::exception& error) {
    log_line(fmt::format("the network is not known: {}", error.what()));
  }
  job::add_described_network(machine, runtime.settings.node_list, environment("THALWEG_BATCH_NETWORK"));
  return machine;
}

void save_learned(const std::vector<tune::Pick>& picks, const std::vector<tune::Pick>& nonblocking) {
  const std::string& path = runtime.settings.tuning;
  if (path.empty() || (picks.empty() && nonblocking.empty()))
    return;
  try {
    if (const std::string kept = tune::save_tuning(path, {job_fingerprint(), picks, {}, nonblocking});
        !kept.empty())
      log_line(fmt::format("the tuning file {} did not read, and is kept as {}", path, kept));
  } catch (const std::exception& error) {
    log_line(fmt::format("what was learned is lost: {}", error.what()));
  }
}

} // namespace thalweg::mpi

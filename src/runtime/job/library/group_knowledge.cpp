// SPDX-License-Identifier: BSD-3-Clause
#include "job/library/group_knowledge.hpp"

#include "job/library/mpi_library.hpp"
#include "job/mpi/agreed_knowledge.hpp"
#include "machine/machine.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <utility>

namespace thalweg::job {

namespace {

const char* environment(const char* name) {
  return std::getenv(name);
}

std::string library_name() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  library_api().get_library_version(text.data(), &length);
  return machine::library_name(text.data());
}

tune::Tuning tuning_or_none(const std::string& path, const machine::Fingerprint& wanted) {
  try {
    FoundPicks found = find_picks(path, wanted);
    return {wanted, std::move(found.picks),    std::move(found.streams),
            {},     std::move(found.brackets), std::move(found.of_teams)};
  } catch (const std::exception&) { // `thalweg tune` and `thalweg run` report such files
    return {wanted, {}};
  }
}

/// What the first rank sends the others.
struct Texts {
  std::string machine; ///< empty: the default one
  std::string error;
  std::string remedy;
};

Texts read_machine(const machine::Fingerprint& wanted, const std::string& path) {
  Texts texts;
  try {
    const KnownMachine found = find_machine(wanted, path, environment("THALWEG_MACHINE"));
    texts.machine = found.is_probed ? machine::to_text(found.machine) : "";
  } catch (const Error& failed) {
    texts.error = failed.problem();
    texts.remedy = failed.remedy();
  }
  return texts;
}

KnownMachine agree_on_machine(const Agreement& everybody, const machine::Fingerprint& wanted,
                              const std::string& tuning) {
  Texts texts = everybody.own() == 0 ? read_machine(wanted, tuning) : Texts{};
  for (std::string* const text : {&texts.machine, &texts.error, &texts.remedy})
    everybody.broadcast(*text);
  if (!texts.error.empty())
    throw Error(texts.error, texts.remedy);
  if (texts.machine.empty())
    return find_machine(wanted, "", nullptr);
  return {machine::parse_machine(texts.machine, "the first rank's machine file"), true};
}

/// The tuning file that this process's settings name; empty: none.
std::string tuning_path() {
  const char* const given = environment("THALWEG_TUNING");
  if (given == nullptr)
    return machine::default_tuning_path(environment);
  return std::string_view(given) == "off" ? "" : given;
}

std::string node_list_path() {
  const char* const path = environment("THALWEG_NODE_LIST");
  return path == nullptr ? "" : path;
}

} // namespace

bool may_learn() {
  const char* const value = environment("THALWEG_LEARN");
  return value == nullptr || std::string_view(value) != "off";
}

void keep_found(const Group& group, std::string_view who, const tune::Tuning& found) {
  const bool may_save = may_learn() && environment("THALWEG_TUNING") != nullptr && !tuning_path().empty();
  if (found.is_empty() || group.rank() != 0 || !may_save)
    return;
  try {
    const std::string path = tuning_path();
    if (const std::string kept = tune::save_tuning(path, found); !kept.empty())
      std::fprintf(stderr, "thalweg: the tuning file %s did not read, and is kept as %s\n", path.c_str(),
                   kept.c_str());
  } catch (const std::exception& failed) {
    std::fprintf(stderr, "thalweg: rank 0: what %.*s has found is not kept: %s\n",
                 static_cast<int>(who.size()), who.data(), failed.what());
  }
}

Knowledge agree_on_knowledge(const Group& group) {
  Knowledge knowledge;
  knowledge.fingerprint = fingerprint(group.placement(), library_name(), environment);
  const std::string path = group.rank() == 0 ? tuning_path() : "";
  const Agreement everybody = group.agreement(group.channels().policy());
  knowledge.machine = agree_on_machine(everybody, knowledge.fingerprint, path);
  if (group.node_count() > 1) {
    machine::Machine known = knowledge.machine.machine;
    add_described_network(known, node_list_path(), environment("THALWEG_BATCH_NETWORK"));
    knowledge.network = agree_on_network(everybody, group.placement(), node_list_path(), known);
  }
  tune::Tuning known = agree_on_tuning(everybody, tuning_or_none(path, knowledge.fingerprint));
  knowledge.picks = std::move(known.picks);
  knowledge.streams = std::move(known.streams);
  knowledge.brackets = std::move(known.brackets);
  knowledge.of_teams = std::move(known.of_teams);
  return knowledge;
}

KnownNetwork agree_on_network(const Group& group, const NamedNetwork& named) {
  const Agreement everybody = group.agreement(group.channels().policy());
  const std::string tuning = group.rank() == 0 ? tuning_path() : "";
  machine::Machine machine =
      agree_on_machine(everybody, fingerprint(group.placement(), library_name(), environment), tuning)
          .machine;
  if (!named.shape.empty()) {
    machine.network = named.shape;
    machine.nodes = {}; // they are of the machine file's network
  }
  const std::string list =
      named.node_list.empty() && named.shape.empty() ? node_list_path() : named.node_list;
  add_described_network(machine, list, environment("THALWEG_BATCH_NETWORK"));
  KnownNetwork network = agree_on_network(everybody, group.placement(), list, machine);
  if (network.shape.empty() && !(named.shape.empty() && named.node_list.empty()))
    throw Error(network.remark.empty() ? fmt::format("{} names no network's shape", list) : network.remark,
                "name a network that has a place for each of the job's nodes");
  return network;
}

} // namespace thalweg::job

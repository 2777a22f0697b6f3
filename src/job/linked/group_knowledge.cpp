#include "job/linked/group_knowledge.hpp"

#include "job/linked/linked_library.hpp"
#include "job/mpi/agreed_picks.hpp"
#include "machine/probed_machines.hpp"

#include <array>
#include <cstdlib>
#include <utility>

namespace thalweg::job {

namespace {

const char* environment(const char* name) {
  return std::getenv(name);
}

std::string library_name() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  linked_api().get_library_version(text.data(), &length);
  return machine::library_name(text.data());
}

tune::Tuning tuning_or_none(const std::string& path, const machine::Fingerprint& wanted) {
  try {
    FoundPicks found = find_picks(path, wanted);
    return {wanted, std::move(found.picks), std::move(found.streams)};
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

} // namespace

std::string tuning_path() {
  const char* const given = environment("THALWEG_TUNING");
  if (given == nullptr)
    return machine::default_tuning_path(environment);
  return std::string_view(given) == "off" ? "" : given;
}

Knowledge agree_on_knowledge(const Group& group) {
  Knowledge knowledge;
  knowledge.fingerprint = fingerprint(group.placement(), library_name(), environment);
  const bool reads = group.rank() == 0;
  const std::string path = reads ? tuning_path() : "";
  Texts texts = reads ? read_machine(knowledge.fingerprint, path) : Texts{};
  const Agreement everybody = group.agreement(group.channels().policy());
  for (std::string* const text : {&texts.machine, &texts.error, &texts.remedy})
    everybody.broadcast(*text);
  if (!texts.error.empty())
    throw Error(texts.error, texts.remedy);
  knowledge.machine.is_probed = !texts.machine.empty();
  knowledge.machine.machine = knowledge.machine.is_probed
                                  ? machine::parse_machine(texts.machine, "the first rank's machine file")
                                  : find_machine(knowledge.fingerprint, "", nullptr).machine;
  const char* const node_list = environment("THALWEG_NODE_LIST");
  if (group.node_count() > 1)
    knowledge.network = agree_on_network(everybody, group.placement(), node_list == nullptr ? "" : node_list,
                                         knowledge.machine.machine);
  tune::Tuning known = agree_on_tuning(everybody, tuning_or_none(path, knowledge.fingerprint));
  knowledge.picks = std::move(known.picks);
  knowledge.streams = std::move(known.streams);
  return knowledge;
}

} // namespace thalweg::job

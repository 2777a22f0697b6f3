// SPDX-License-Identifier: BSD-3-Clause
#include "job/mpi/agreed_knowledge.hpp"

#include "base/error.hpp"
#include "base/files.hpp"
#include "machine/node_list.hpp"

#include <fmt/format.h>
#include <string>
#include <utility>

namespace thalweg::job {

namespace {

/// What the first rank sends the others.
struct NetworkTexts {
  std::string shape;
  std::string list;
  std::string problem;
};

NetworkTexts read_texts(const std::string& node_list, const machine::Machine& machine) {
  NetworkTexts texts{.shape = machine.network, .list = {}, .problem = {}};
  if (node_list.empty() && machine.nodes.size() == 0 && !machine::knows_names(texts.shape))
    return texts;
  try {
    std::string list = node_list.empty() ? machine::to_text(machine.nodes)
                                         : read_text(node_list, "name a list of hosts and their places");
    machine::parse_host_places(list, texts.shape, node_list.empty() ? "the machine file" : node_list);
    texts.list = std::move(list);
  } catch (const std::exception& error) {
    texts.problem = error.what();
  }
  return texts;
}

/// Nothing where this node does not have the file of a graph that the first rank read: then places are not
/// known.
machine::HostPlaces read_places(const NetworkTexts& texts) {
  try {
    return machine::parse_host_places(texts.list, texts.shape, "the first rank's list of hosts");
  } catch (const Error&) {
    return {};
  }
}

/// The place of each node, which its first rank looks up: it alone needs to know its name.
std::vector<std::int32_t> gathered_places(const Agreement& everybody, const Placement& placement,
                                          const machine::HostPlaces& list) {
  const std::string own = host_name();
  const std::vector<std::int32_t> of_ranks = everybody.allgather(list.of({&own, 1}).places.front());
  std::vector<std::int32_t> places(static_cast<std::size_t>(placement.node_count), -1);
  for (std::size_t rank = of_ranks.size(); rank-- > 0;)
    places[static_cast<std::size_t>(placement.nodes[rank])] = of_ranks[rank];
  return places;
}

} // namespace

topology::NodePlaces KnownNetwork::of(const Placement& placement) const {
  topology::NodePlaces known{.network = shape, .hosts = hosts};
  for (std::size_t node = 0; !places.empty() && node < placement.node_ids.size(); ++node)
    known.places.push_back(places.at(placement.node_ids[node]));
  return known;
}

KnownNetwork agree_on_network(const Agreement& everybody, const Placement& placement,
                              const std::string& node_list, const machine::Machine& machine) {
  NetworkTexts texts = everybody.own() == 0 ? read_texts(node_list, machine) : NetworkTexts{};
  for (std::string* const text : {&texts.shape, &texts.list, &texts.problem})
    everybody.broadcast(*text);
  topology::NodePlaces known{.network = texts.shape};
  if (!texts.list.empty() || (machine::knows_names(texts.shape) && texts.problem.empty())) {
    const machine::HostPlaces list = read_places(texts);
    known = {list.network, list.hosts, gathered_places(everybody, placement, list)};
  }
  const topology::LocatedNodes located = topology::locate(known, placement.node_count);
  KnownNetwork network;
  if (!texts.problem.empty())
    network.remark = fmt::format("list of hosts not used: {}", texts.problem);
  else if (!located.why_unknown.empty())
    network.remark =
        fmt::format("network {}: its routes are not known: {}", known.network, located.why_unknown);
  if (located.places.empty())
    return network;
  if (located.network) {
    network.shape = known.network;
    network.hosts = located.network->hosts();
    network.remark = fmt::format("network {} of {} hosts, places {}", network.shape, network.hosts,
                                 !texts.list.empty()                 ? "by the list of hosts"
                                 : machine::knows_names(texts.shape) ? "by the names of hosts"
                                                                     : "in the order of ranks");
  }
  for (std::size_t node = 0; node < located.places.size(); ++node)
    network.places.emplace(placement.node_ids[node], located.places[node]);
  return network;
}

// In the tuning file's own format, whose reader accepts every text that a person may have written there.
tune::Tuning agree_on_tuning(const Agreement& everybody, tune::Tuning known) {
  std::string text;
  if (everybody.own() == 0 && !known.is_empty())
    text = tune::to_text({known});
  everybody.broadcast(text);
  tune::TuningFile file = tune::parse_tuning(text, "the first rank's picks");
  return file.empty() ? tune::Tuning{known.machine, {}} : std::move(file.front());
}

} // namespace thalweg::job

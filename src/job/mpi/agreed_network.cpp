#include "job/mpi/agreed_network.hpp"

#include "core/error.hpp"
#include "machine/node_list.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>

namespace thalweg::job {

namespace {

/// What the first rank sends the others.
struct NetworkTexts {
  std::string shape;
  std::string list;
  std::string problem;
};

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw Error(fmt::format("{} cannot be read", path), "name a list of hosts and their places");
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The network's shape in the first line of a list, or nothing.
std::string shape_in(std::string_view list) {
  std::string_view line = list.substr(0, list.find('\n'));
  if (!line.starts_with('#'))
    return {};
  line.remove_prefix(1);
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  line = line.substr(0, line.find_last_not_of(" \r") + 1);
  const std::string_view name = line.substr(0, line.find(':'));
  const bool is_shape = name == "torus" || name == "ring" || name == "fat-tree" || name == "star";
  return is_shape ? std::string(line) : std::string();
}

std::int64_t hosts_in(const std::string& list) {
  std::istringstream lines(list);
  std::int64_t hosts = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find_first_not_of(" \t\r");
    hosts += first != std::string::npos && line[first] != '#' ? 1 : 0;
  }
  return hosts;
}

/// What a list's places may be: those of a torus, or else as many as the list has hosts; any where there is
/// no shape.
std::shared_ptr<const topology::Interconnect> places_of(const std::string& shape, const std::string& list) {
  if (topology::Network::hosts_of(shape) > 0)
    return topology::parse_interconnect(shape);
  constexpr std::int64_t any = 1 << 20;
  return topology::parse_interconnect(
      fmt::format("torus:{}", shape.empty() ? any : std::max<std::int64_t>(hosts_in(list), 1)));
}

NetworkTexts read_texts(const std::string& node_list, const std::string& shape) {
  NetworkTexts texts{.shape = shape, .list = {}, .problem = {}};
  if (node_list.empty())
    return texts;
  try {
    std::string list = text_of(node_list);
    if (std::string named = shape_in(list); !named.empty())
      texts.shape = std::move(named);
    machine::parse_node_list(list, *places_of(texts.shape, list), node_list);
    texts.list = std::move(list);
  } catch (const std::exception& error) {
    texts.problem = error.what();
  }
  return texts;
}

/// The place of each node.
std::vector<std::int32_t> gathered_places(const Agreement& everybody, const Placement& placement,
                                          const machine::NodeList& list) {
  const std::vector<std::int64_t> of_ranks = everybody.allgather(list.place_of(host_name()));
  std::vector<std::int32_t> places(static_cast<std::size_t>(placement.node_count), -1);
  for (std::size_t rank = of_ranks.size(); rank-- > 0;)
    places[static_cast<std::size_t>(placement.nodes[rank])] = static_cast<std::int32_t>(of_ranks[rank]);
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
                              const std::string& node_list, const std::string& shape) {
  NetworkTexts texts = everybody.own() == 0 ? read_texts(node_list, shape) : NetworkTexts{};
  for (std::string* const text : {&texts.shape, &texts.list, &texts.problem})
    everybody.broadcast(*text);
  topology::NodePlaces known{.network = texts.shape};
  if (!texts.list.empty()) {
    const auto interconnect = places_of(texts.shape, texts.list);
    known.hosts = static_cast<std::int32_t>(
        std::min<std::int64_t>(interconnect->nodes(), std::numeric_limits<std::int32_t>::max()));
    known.places = gathered_places(
        everybody, placement, machine::parse_node_list(texts.list, *interconnect, "the first rank's list"));
  }
  const topology::LocatedNodes located = topology::locate(known, placement.node_count);
  KnownNetwork network;
  if (!texts.problem.empty())
    network.remark = fmt::format("list of hosts not used: {}", texts.problem);
  else if (!located.why_unknown.empty())
    network.remark =
        fmt::format("network {}: its routes are not known: {}", texts.shape, located.why_unknown);
  if (located.places.empty())
    return network;
  if (located.network) {
    network.shape = texts.shape;
    network.hosts = located.network->hosts();
    network.remark = fmt::format("network {} of {} hosts, places {}", network.shape, network.hosts,
                                 texts.list.empty() ? "in the order of ranks" : "by the list of hosts");
  }
  for (std::size_t node = 0; node < located.places.size(); ++node)
    network.places.emplace(placement.node_ids[node], located.places[node]);
  return network;
}

} // namespace thalweg::job

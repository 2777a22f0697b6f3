#include "machine/host_places.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <sstream>

namespace thalweg::machine {

namespace {

constexpr std::int64_t places_max = std::numeric_limits<std::int32_t>::max();

/// The network's shape in the first line of a list, or nothing.
std::string shape_in(std::string_view list) {
  std::string_view line = list.substr(0, list.find('\n'));
  if (!line.starts_with('#'))
    return {};
  line.remove_prefix(1);
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  line = line.substr(0, line.find_last_not_of(" \r") + 1);
  try {
    topology::parse_interconnect(line, 1);
    return std::string(line);
  } catch (const Error&) { // a comment
    return {};
  }
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

/// What places may be: the network's nodes, as many as the list has hosts where its shape fits any number.
/// Any where there is no shape.
std::shared_ptr<const topology::Interconnect> allowed_places(const std::string& shape,
                                                             const std::string& list) {
  if (shape.empty())
    return topology::parse_interconnect(fmt::format("torus:{}", places_max));
  return topology::parse_interconnect(shape, std::max<std::int64_t>(hosts_in(list), 1));
}

} // namespace

topology::NodePlaces HostPlaces::of(std::span<const std::string> nodes) const {
  topology::NodePlaces known{.network = network, .hosts = hosts};
  for (const std::string& node : nodes)
    known.places.push_back(static_cast<std::int32_t>(std::min(list.place_of(node), places_max)));
  return known;
}

HostPlaces parse_host_places(const std::string& text, const std::string& shape, const std::string& name) {
  HostPlaces found;
  found.network = shape_in(text);
  if (found.network.empty())
    found.network = shape;
  const auto allowed = allowed_places(found.network, text);
  found.hosts = static_cast<std::int32_t>(std::min(allowed->nodes(), places_max));
  found.list = parse_node_list(text, *allowed, name);
  return found;
}

} // namespace thalweg::machine

// SPDX-License-Identifier: BSD-3-Clause
#include "machine/host_places.hpp"

#include "base/error.hpp"
#include "base/line_reader.hpp"
#include "base/nearest.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <limits>

namespace thalweg::machine {

namespace {

constexpr std::int64_t places_max = std::numeric_limits<std::int32_t>::max();

/// Is it a word such as "tours:4x2", which nobody writes but for a shape?
bool looks_like_shape(std::string_view word) {
  constexpr std::size_t short_name_size = 4;
  const std::size_t colon = word.find(':');
  const std::string_view kind = word.substr(0, colon);
  const std::vector<std::string_view> kinds = topology::interconnect_kinds();
  if (std::ranges::find(kinds, kind) != kinds.end())
    return true;
  return colon != std::string_view::npos && std::isdigit(static_cast<unsigned char>(word.back())) != 0 &&
         !nearest_within(kind, kinds, kind.size() > short_name_size ? 2 : 1).empty();
}

/// The network's shape in the first line of a list, or nothing. Throws Error for a shape with a mistake.
std::string shape_in(std::string_view list, const std::string& name) {
  LineReader reader(list, name);
  if (!reader.next_line() || !reader.line().starts_with('#'))
    return {};
  const std::size_t begin = std::min(reader.line().find_first_not_of("# \t"), reader.line().size());
  std::string_view line = reader.line().substr(begin);
  line = line.substr(0, line.find_last_not_of(" \t") + 1);
  const std::string_view word = line.substr(0, line.find_first_of(" \t"));
  if (word.empty() || !looks_like_shape(word) || (word != line && word.find(':') == std::string_view::npos))
    return {}; // a comment
  try {
    topology::parse_interconnect(line, 1);
    return std::string(line);
  } catch (const Error& error) {
    reader.fail(error.problem(), error.remedy());
  }
}

std::int64_t hosts_in(const std::string& list) {
  const std::string name;
  LineReader reader(list, name);
  std::int64_t hosts = 0;
  while (reader.next_line()) {
    reader.drop_comment(true);
    hosts += reader.word().empty() ? 0 : 1;
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

bool knows_names(std::string_view network) {
  return network.starts_with("graph:");
}

topology::NodePlaces HostPlaces::of(std::span<const std::string> nodes) const {
  topology::NodePlaces known{.network = network, .hosts = hosts};
  const auto graph = knows_names(network) ? topology::parse_interconnect(network) : nullptr;
  for (const std::string& node : nodes) {
    topology::Place place = list.place_of(node);
    if (place < 0 && graph != nullptr)
      place = graph->node_named(node);
    known.places.push_back(static_cast<std::int32_t>(std::min(place, places_max)));
  }
  return known;
}

HostPlaces parse_host_places(const std::string& text, const std::string& shape, const std::string& name) {
  HostPlaces found;
  found.network = shape_in(text, name);
  if (found.network.empty())
    found.network = shape;
  const auto allowed = allowed_places(found.network, text);
  found.hosts = static_cast<std::int32_t>(std::min(allowed->nodes(), places_max));
  found.list = parse_node_list(text, *allowed, name);
  return found;
}

NodeList parse_hosts_of(const topology::Interconnect& interconnect, const std::string& text,
                        const std::string& name) {
  if (const std::string shape = shape_in(text, name); !shape.empty())
    if (const auto nodes = topology::parse_interconnect(shape, interconnect.nodes())->nodes();
        nodes != interconnect.nodes())
      throw Error(fmt::format("{}:1: the list is of {}, which has {} nodes, and {} has {}", name, shape,
                              nodes, interconnect.name(), interconnect.nodes()),
                  "name a list of the same network, or correct its first line");
  return parse_node_list(text, interconnect, name);
}

} // namespace thalweg::machine

// SPDX-License-Identifier: BSD-3-Clause
#include "machine/node_list.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"
#include "base/host_names.hpp"
#include "base/line_reader.hpp"
#include "base/nearest.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace thalweg::machine {

namespace {

std::optional<std::int64_t> whole_number(std::string_view word) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc{} || end != word.data() + word.size())
    return std::nullopt;
  return number;
}

/// The node with these numbers, or -1 where the interconnect has none such.
topology::Place place_at(const std::vector<std::int64_t>& numbers,
                         const topology::Interconnect& interconnect) {
  if (numbers.size() == 1)
    return numbers.front() >= 0 && numbers.front() < interconnect.nodes() ? numbers.front() : -1;
  const topology::Grid* grid = interconnect.switch_grid();
  if (grid == nullptr)
    return -1;
  const std::size_t dimensions = grid->dimensions();
  const std::int64_t per_switch = interconnect.nodes() / grid->places();
  if (numbers.size() != dimensions + (per_switch > 1 ? 1 : 0))
    return -1;
  topology::Place place = 0;
  topology::Place stride = per_switch;
  for (std::size_t dimension = 0; dimension < dimensions; ++dimension) {
    if (numbers[dimension] < 0 || numbers[dimension] >= grid->extent(dimension))
      return -1;
    place += numbers[dimension] * stride;
    stride *= grid->extent(dimension);
  }
  if (per_switch == 1)
    return place;
  return numbers.back() >= 0 && numbers.back() < per_switch ? place + numbers.back() : -1;
}

constexpr const char* ways_to_write_hosts = "write a host's name, then its coordinates or its node's number";

/// A line's hosts: its first word may be a list of them.
std::vector<std::string> hosts_of(const LineReader& reader, std::string_view word) {
  try {
    return expand_names(word);
  } catch (const Error& error) {
    reader.fail(error.problem(), error.remedy());
  }
}

std::vector<std::int64_t> numbers_of(const LineReader& reader, const std::vector<std::string_view>& words) {
  std::vector<std::int64_t> numbers;
  for (const std::string_view word : std::span(words).subspan(1)) {
    const std::optional<std::int64_t> number = whole_number(word);
    if (!number)
      reader.fail(fmt::format("'{}' is no whole number", word), ways_to_write_hosts);
    numbers.push_back(*number);
  }
  return numbers;
}

void add_host(NodeList& list, const LineReader& reader, std::string_view host, topology::Place place) {
  try {
    list.add(host, place);
  } catch (const Error& error) {
    reader.fail(error.problem(), error.remedy());
  }
}

/// A first line of numbers only, above hosts with other names, counts something: it is no host.
void check_header(const LineReader& reader, std::string_view first, std::string_view later) {
  if (whole_number(first) && !whole_number(later))
    reader.fail(fmt::format("host {} before others such as {}", first, later),
                "a first line of numbers is no host: leave it out, or name the network: # torus:4x2");
}

} // namespace

void NodeList::add(std::string_view host, topology::Place place) {
  if (const std::string_view other = hosts_.same_as(host); !other.empty())
    throw Error(other == host ? fmt::format("host {} comes twice", host)
                              : fmt::format("host {} comes twice, also as {}", host, other),
                "name each host once");
  if (const auto [there, is_free] = at_.try_emplace(place, host); !is_free)
    throw Error(fmt::format("hosts {} and {} are both at place {}", there->second, host, place),
                "give each host its own place; several nodes of a switch are written torus:4x4*16");
  hosts_.add(host, place);
  THALWEG_ASSERT(light, hosts_.size() == at_.size());
}

std::string to_text(const NodeList& list) {
  std::string text;
  for (const auto& [host, place] : list.hosts())
    text += fmt::format("{} {}\n", host, place);
  return text;
}

NodeList parse_node_list(std::string_view text, const topology::Interconnect& interconnect,
                         const std::string& name) {
  NodeList list;
  LineReader reader(text, name);
  std::string first;
  while (reader.next_line()) {
    reader.drop_comment(true);
    const std::vector<std::string_view> words = reader.words();
    if (words.empty())
      continue;
    if (list.size() == 1)
      check_header(reader, first, words[0]);
    const std::vector<std::int64_t> numbers = numbers_of(reader, words);
    const std::vector<std::string> hosts = hosts_of(reader, words[0]);
    if (!numbers.empty() && hosts.size() > 1)
      reader.fail(fmt::format("{} hosts with one place", hosts.size()), ways_to_write_hosts);
    for (const std::string& host : hosts) {
      const topology::Place place =
          numbers.empty() ? interconnect.node_named(host) : place_at(numbers, interconnect);
      if (place < 0)
        reader.fail(fmt::format("host {} has no place on {}", host, interconnect.name()),
                    "write its coordinates, counted from 0, or its node's number");
      add_host(list, reader, host, place);
    }
    if (first.empty())
      first = words[0];
  }
  return list;
}

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
  THALWEG_ASSERT(light, known.places.size() == nodes.size());
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

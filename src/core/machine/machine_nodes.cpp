// SPDX-License-Identifier: BSD-3-Clause
#include "machine/machine_nodes.hpp"

#include "base/error.hpp"
#include "base/files.hpp"
#include "machine/node_list.hpp"
#include "machine/toml_file.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <limits>

namespace thalweg::machine {

namespace {

constexpr const char* ways_to_write = "write [nodes] with lines HOST = NUMBER, or nodes = \"FILE\"";

/// How many nodes a network has; any number where that is not known, or its file is not on this node.
std::int64_t places_of(const std::string& network, std::int64_t hosts) {
  if (network.empty())
    return std::numeric_limits<std::int64_t>::max();
  try {
    return topology::parse_interconnect(network, std::max<std::int64_t>(hosts, 1))->nodes();
  } catch (const Error& error) {
    if (error.status() != thalweg_error_system)
      throw;
    return std::numeric_limits<std::int64_t>::max();
  }
}

} // namespace

NodeList read_nodes(const toml::node& value, const std::string& network, const std::string& file) {
  if (const auto path = value.value_exact<std::string>()) {
    const std::string list = (std::filesystem::path(file).parent_path() / *path).string();
    const std::string text =
        read_text(list, fmt::format("name a list of hosts in {}", place_in(file, line_of(&value))));
    return parse_hosts_of(*topology::parse_interconnect(network), text, list);
  }
  const toml::table* table = value.as_table();
  if (table == nullptr)
    throw Error(
        fmt::format("{}: nodes is neither a table nor the path of a list", place_in(file, line_of(&value))),
        ways_to_write);
  const std::int64_t places = places_of(network, std::ssize(*table));
  NodeList nodes;
  for (const auto& [host, place] : *table) {
    const std::string where = place_in(file, line_of(&place));
    const auto number = place.value_exact<std::int64_t>();
    if (!number || *number < 0)
      throw Error(fmt::format("{}: nodes.{} is no number of a node", where, host.str()), ways_to_write);
    if (*number >= places)
      throw Error(fmt::format("{}: host {} has place {} on {}", where, host.str(), *number, network),
                  fmt::format("count places from 0 to {}", places - 1));
    try {
      nodes.add(host.str(), *number);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", where, error.problem()), error.remedy());
    }
  }
  return nodes;
}

} // namespace thalweg::machine

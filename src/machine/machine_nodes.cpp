#include "machine/machine_nodes.hpp"

#include "core/error.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

namespace thalweg::machine {

namespace {

constexpr const char* ways_to_write = "write [nodes] with lines HOST = NUMBER, or nodes = \"FILE\"";

} // namespace

NodeList read_nodes(const toml::node& value, const std::string& network, const std::string& file) {
  if (const auto path = value.value_exact<std::string>()) {
    const std::filesystem::path list = std::filesystem::path(file).parent_path() / *path;
    std::ifstream stream(list, std::ios::binary);
    if (!stream)
      throw Error(fmt::format("{}: nodes: {} cannot be read", file, list.string()), "name a list of hosts",
                  thalweg_error_system);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    return parse_node_list(text, *topology::parse_interconnect(network), list.string());
  }
  const toml::table* table = value.as_table();
  if (table == nullptr)
    throw Error(fmt::format("{}: nodes is neither a table nor the path of a list", file), ways_to_write);
  NodeList nodes;
  for (const auto& [host, place] : *table) {
    const auto number = place.value_exact<std::int64_t>();
    if (!number || *number < 0)
      throw Error(fmt::format("{}: nodes.{} is no number of a node", file, host.str()), ways_to_write);
    nodes.add(host.str(), *number);
  }
  return nodes;
}

} // namespace thalweg::machine

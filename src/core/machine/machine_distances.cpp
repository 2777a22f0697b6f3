// SPDX-License-Identifier: BSD-3-Clause
#include "machine/machine_distances.hpp"

#include "base/error.hpp"

#include <array>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace thalweg::machine {

namespace {

constexpr const char* key = "distances";

constexpr std::array<std::pair<std::string_view, Figure DistanceClass::*>, 3> fields{
    {{"round_trip", &DistanceClass::round_trip},
     {"write_per_byte", &DistanceClass::write_per_byte},
     {"read_per_byte", &DistanceClass::read_per_byte}}};

std::vector<std::vector<std::int32_t>> read_groups(const toml::table& row, const Location& location) {
  const toml::node* node = row.get("cores");
  const Location at = location.inside("cores", node);
  const toml::array* texts = node == nullptr ? nullptr : node->as_array();
  if (texts == nullptr)
    at.refuse("is no list of groups", "write cores = [\"0-3\", \"4-7\"]");
  std::vector<std::vector<std::int32_t>> groups;
  for (const toml::node& text : *texts) {
    const auto value = text.value_exact<std::string>();
    if (!value)
      at.refuse("has a group that is no text", "write cores = [\"0-3\", \"4-7\"]");
    groups.push_back(parse_cores(*value));
  }
  return groups;
}

DistanceClass read_class(const toml::table& row, const Location& location) {
  check_keys(row, {"round_trip", "write_per_byte", "read_per_byte", "cores"}, location.file, location.path);
  DistanceClass found;
  for (const auto& [name, member] : fields)
    found.*member = figure_of(row, name, location);
  found.set_groups(read_groups(row, location));
  return found;
}

} // namespace

CoreDistances read_distances(const toml::table& machine, const Location& file) {
  CoreDistances distances;
  const toml::node* node = machine.get(key);
  if (node == nullptr)
    return distances;
  const Location location = file.inside(key, node);
  const toml::table* table = node->as_table();
  if (table == nullptr)
    location.refuse("is no table", measure_again);
  check_keys(*table, {"looks", "changes", "class"}, location.file, location.path);
  distances.looks = number_of(*table, "looks", location, 1);
  distances.changes = number_of(*table, "changes", location, 0, 0);
  try {
    for_each_table(*table, "class", location, [&](const toml::table& row, const Location& at) {
      distances.classes.push_back(read_class(row, at));
    });
    distances.check();
  } catch (const Error& error) {
    if (error.problem().starts_with(location.file))
      throw;
    location.refuse(fmt::format("is wrong: {}", error.problem()), error.remedy());
  }
  if (!distances.is_known())
    location.refuse("has no [[distances.class]]", measure_again);
  return distances;
}

void write_distances(std::string& text, const CoreDistances& distances) {
  if (!distances.is_known())
    return;
  text += fmt::format("\n[{}]\nlooks = {}\nchanges = {}\n", key, distances.looks, distances.changes);
  for (const DistanceClass& one : distances.classes) {
    text += fmt::format("\n[[{}.class]]\n", key);
    for (const auto& [name, member] : fields)
      text += fmt::format("{} = \"{}\"\n", name, figure_text(one.*member));
    std::string groups;
    for (const std::vector<std::int32_t>& group : one.groups())
      groups += fmt::format("{}\"{}\"", groups.empty() ? "" : ", ", cores_text(group));
    text += fmt::format("cores = [{}]\n", groups);
  }
}

} // namespace thalweg::machine

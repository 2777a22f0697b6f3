// SPDX-License-Identifier: BSD-3-Clause
#include "base/assertion.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/units.hpp"
#include "machine/machine.hpp"
#include "machine/machine_distances.hpp"
#include "machine/machine_fields.hpp"
#include "machine/machine_nodes.hpp"
#include "machine/toml_file.hpp"
#include "topology/interconnect.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <ranges>
#include <sstream>

namespace thalweg::machine {

namespace {

constexpr std::int64_t format_number = 1;
constexpr std::int64_t max_burst = std::int64_t{1} << 40;

constexpr std::string_view explanation =
    "# What thalweg machine probe found: times in seconds with their units, each with the spread of its\n"
    "# measurements (a tenth .. nine tenths). Rows hold for messages up to `bytes`; what each key means,\n"
    "# docs/tuning.md says. Of a level's `samples`, `outliers` took over three times the median of their "
    "row.\n";

// Ranges come by size, each once, and the last one reaches to any size.
template <typename Row>
void settle(std::vector<Row>& rows, const Location& location) {
  std::ranges::sort(rows, {}, &Row::bytes_max);
  const auto twice = std::ranges::adjacent_find(rows, {}, &Row::bytes_max);
  if (twice != rows.end())
    location.refuse(fmt::format("has two ranges up to {}", bytes_text(twice->bytes_max)), "leave one out");
  if (!rows.empty())
    rows.back().bytes_max = INT64_MAX;
  THALWEG_ASSERT(heavy, std::ranges::is_sorted(rows, {}, &Row::bytes_max));
}

struct CostField {
  std::string_view key;
  Figure MessageCost::*member;
  const Unit* unit = &seconds_unit;
};

constexpr std::array<CostField, 18> cost_fields{
    {{"latency", &MessageCost::latency},
     {"send", &MessageCost::send},
     {"send_per_byte", &MessageCost::send_per_byte},
     {"receive", &MessageCost::receive},
     {"receive_per_byte", &MessageCost::receive_per_byte},
     {"gap", &MessageCost::gap},
     {"gap_per_byte", &MessageCost::gap_per_byte},
     {"unexpected", &MessageCost::unexpected},
     {"unexpected_per_byte", &MessageCost::unexpected_per_byte},
     {"overlapped", &MessageCost::overlapped},
     {"overlapped_per_byte", &MessageCost::overlapped_per_byte},
     {"two_way", &MessageCost::two_way, &factor_unit},
     {"shared", &MessageCost::shared, &factor_unit},
     {"trip_two_way", &MessageCost::trip_two_way, &factor_unit},
     {"trip_shared", &MessageCost::trip_shared, &factor_unit},
     {"trip_shared_two_way", &MessageCost::trip_shared_two_way, &factor_unit},
     {"overlapped_shared", &MessageCost::overlapped_shared},
     {"overlapped_shared_per_byte", &MessageCost::overlapped_shared_per_byte}}};

/// Figures of a level that are written where they were measured.
constexpr std::array<std::pair<std::string_view, Figure LevelCosts::*>, 4> level_fields{
    {{"round_trip", &LevelCosts::round_trip},
     {"per_posted", &LevelCosts::per_posted},
     {"hop", &LevelCosts::hop},
     {"hop_per_byte", &LevelCosts::hop_per_byte}}};

std::string key_of(Level level) {
  std::string key(name(level));
  std::ranges::replace(key, ' ', '_');
  return key;
}

MessageCost read_cost(const toml::table& row, const Location& location) {
  std::vector<std::string_view> known{"bytes"};
  std::ranges::transform(cost_fields, std::back_inserter(known), &CostField::key);
  check_keys(row, known, location.file, location.path);
  MessageCost cost;
  cost.bytes_max = bytes_of(row, "bytes", unlimited, location);
  for (const CostField& field : cost_fields)
    cost.*field.member = figure_of(row, field.key, location, *field.unit);
  return cost;
}

void read_level(Machine& machine, const toml::table& table, Level level, const Location& file) {
  const toml::node* node = table.get(key_of(level));
  if (node == nullptr)
    return;
  const Location location = file.inside(key_of(level), node);
  const toml::table* fields = node->as_table();
  if (fields == nullptr)
    location.refuse("is no table", measure_again);
  std::vector<std::string_view> known{"burst", "pairs", "samples", "outliers", "worst", "hops", "message"};
  std::ranges::copy(level_fields | std::views::keys, std::back_inserter(known));
  check_keys(*fields, known, location.file, location.path);
  LevelCosts costs;
  costs.level = level;
  const std::int64_t burst = bytes_of(*fields, "burst", "0B", location);
  if (burst > max_burst)
    location.inside("burst", fields->get("burst")).refuse("is more than 1 TiB", measure_again);
  costs.burst_bytes = static_cast<double>(burst);
  costs.pairs = static_cast<std::int32_t>(number_of(*fields, "pairs", location, 1));
  costs.samples = number_of(*fields, "samples", location, 0, 0);
  costs.outliers = number_of(*fields, "outliers", location, 0, 0);
  costs.worst = figure_of(*fields, "worst", location, factor_unit).value;
  costs.hops = static_cast<std::int32_t>(number_of(*fields, "hops", location, 0, 0));
  for (const auto& [key, member] : level_fields)
    costs.*member = figure_of(*fields, key, location);
  for_each_table(*fields, "message", location, [&](const toml::table& row, const Location& at) {
    costs.ranges.push_back(read_cost(row, at));
  });
  if (costs.ranges.empty())
    location.refuse("has no [[message]] costs", measure_again);
  settle(costs.ranges, location);
  machine.levels.push_back(std::move(costs));
}

std::vector<Rate> read_rates(const toml::table& table, std::string_view key, const Location& location) {
  std::vector<Rate> rates;
  for_each_table(table, key, location, [&](const toml::table& row, const Location& at) {
    check_keys(row, {"bytes", "per_byte"}, at.file, at.path);
    rates.push_back({bytes_of(row, "bytes", unlimited, at), figure_of(row, "per_byte", at)});
  });
  settle(rates, location.inside(key, table.get(key)));
  return rates;
}

constexpr std::array<std::pair<std::string_view, Figure DeviceCosts::*>, 3> device_fields{
    {{"start", &DeviceCosts::start}, {"hop", &DeviceCosts::hop}, {"wake", &DeviceCosts::wake}}};

DeviceCosts read_device(const toml::table& table, const Location& file) {
  DeviceCosts costs;
  const toml::node* node = table.get("device");
  if (node == nullptr)
    return costs;
  const Location location = file.inside("device", node);
  const toml::table* fields = node->as_table();
  if (fields == nullptr)
    location.refuse("is no table", measure_again);
  check_keys(*fields, {"start", "hop", "wake"}, location.file, location.path);
  for (const auto& [key, member] : device_fields)
    costs.*member = figure_of(*fields, key, location);
  if (!costs.is_known())
    location.refuse("says that nothing takes time", measure_again);
  return costs;
}

void write_device(std::string& text, const DeviceCosts& costs) {
  if (!costs.is_known())
    return;
  text += "\n[device]\n";
  for (const auto& [key, member] : device_fields)
    text += fmt::format("{} = \"{}\"\n", key, figure_text(costs.*member));
}

std::vector<std::string_view> keys_of_machines(const std::vector<std::string>& levels) {
  std::vector<std::string_view> known{"format",      "title",         "parts",  "mpi",   "transport",
                                      "date",        "network_shape", "nodes",  "cores", "nodes_per_machine",
                                      "switch_core", "step",          "device", "copy",  "combine",
                                      "distances"};
  known.insert(known.end(), levels.begin(), levels.end());
  return known;
}

void check_machine_keys(const toml::table& table, const std::string& name) {
  std::vector<std::string> levels;
  for (std::size_t level = 0; level < level_count; ++level)
    levels.push_back(key_of(static_cast<Level>(level)));
  check_keys(table, keys_of_machines(levels), name, "");
}

// The shape of a network; files of graphs need not be on every node.
std::string shape_of(const toml::table& table, const Location& location) {
  std::string shape = text_of(table, "network_shape", location, "");
  try {
    if (!shape.empty())
      topology::parse_interconnect(shape, 1);
  } catch (const Error& error) {
    if (error.status() != thalweg_error_system)
      location.inside("network_shape", table.get("network_shape")).refuse(error.problem(), error.remedy());
  }
  return shape;
}

Machine read(const toml::table& table, const std::string& name) {
  const Location location{name, ""};
  if (number_of(table, "format", location, 0) != format_number)
    location.refuse("is no machine file of this version", "measure again: thalweg machine probe");
  check_machine_keys(table, name);
  Machine machine;
  machine.title = text_of(table, "title", location, "");
  machine.parts = text_of(table, "parts", location, "");
  machine.mpi = text_of(table, "mpi", location, "");
  machine.transport = text_of(table, "transport", location, "");
  machine.date = text_of(table, "date", location, "");
  machine.network = shape_of(table, location);
  if (const toml::node* node = table.get("nodes"))
    machine.nodes = read_nodes(*node, machine.network, name);
  machine.cores = static_cast<std::int32_t>(number_of(table, "cores", location, 1));
  machine.nodes_per_machine = static_cast<std::int32_t>(number_of(table, "nodes_per_machine", location, 1));
  machine.switch_core = figure_of(table, "switch_core", location);
  machine.step = figure_of(table, "step", location);
  machine.device = read_device(table, location);
  machine.distances = read_distances(table, location);
  machine.copy = read_rates(table, "copy", location);
  machine.combine = read_rates(table, "combine", location);
  for (std::size_t level = 0; level < level_count; ++level)
    read_level(machine, table, static_cast<Level>(level), location);
  if (machine.levels.empty())
    location.refuse("describes no level of the machine", measure_again);
  THALWEG_ASSERT(light, machine.cores > 0 && machine.nodes_per_machine > 0);
  THALWEG_ASSERT(heavy, std::ranges::all_of(machine.levels, [](const LevelCosts& costs) {
                   return !costs.ranges.empty() && costs.ranges.back().bytes_max == INT64_MAX;
                 }));
  return machine;
}

void write_rates(std::string& text, std::string_view key, const std::vector<Rate>& rates) {
  for (const Rate& rate : rates)
    text += fmt::format("\n[[{}]]\nbytes = \"{}\"\nper_byte = \"{}\"\n", key, bytes_text(rate.bytes_max),
                        figure_text(rate.per_byte));
}

void write_level(std::string& text, const LevelCosts& costs) {
  const std::string key = key_of(costs.level);
  text += fmt::format("\n[{}]\nburst = \"{}\"\npairs = {}\nsamples = {}\noutliers = {}\nworst = \"{}\"\n",
                      key, exact_bytes(static_cast<std::int64_t>(costs.burst_bytes)), costs.pairs,
                      costs.samples, costs.outliers, times_text(costs.worst));
  if (costs.hops > 0)
    text += fmt::format("hops = {}\n", costs.hops);
  for (const auto& [field, member] : level_fields)
    if ((costs.*member).value > 0)
      text += fmt::format("{} = \"{}\"\n", field, figure_text(costs.*member));
  for (const MessageCost& cost : costs.ranges) {
    text += fmt::format("\n[[{}.message]]\nbytes = \"{}\"\n", key, bytes_text(cost.bytes_max));
    for (const CostField& field : cost_fields)
      text += fmt::format("{} = \"{}\"\n", field.key, figure_text(cost.*field.member, *field.unit));
  }
}

std::string toml_string(std::string_view text) {
  std::ostringstream out;
  out << toml::value<std::string>(text);
  return out.str();
}

} // namespace

Machine parse_machine(std::string_view text, const std::string& name) {
  return read(parse_toml(text, name, measure_again), name);
}

Machine load_machine(const std::string& file) {
  return parse_machine(read_text(file, "name a machine file; thalweg machine probe makes one"), file);
}

std::string to_text(const Machine& machine) {
  std::string text =
      fmt::format("{}format = {}\ntitle = {}\nparts = {}\nmpi = {}\ntransport = {}\ndate = {}\n", explanation,
                  format_number, toml_string(machine.title), toml_string(machine.parts),
                  toml_string(machine.mpi), toml_string(machine.transport), toml_string(machine.date));
  text += fmt::format(
      "cores = {}\nnodes_per_machine = {}\nnetwork_shape = {}\nswitch_core = \"{}\"\nstep = \"{}\"\n",
      machine.cores, machine.nodes_per_machine, toml_string(machine.network),
      figure_text(machine.switch_core), figure_text(machine.step));
  for (const LevelCosts& costs : machine.levels)
    write_level(text, costs);
  write_device(text, machine.device);
  write_distances(text, machine.distances);
  write_rates(text, "copy", machine.copy);
  write_rates(text, "combine", machine.combine);
  if (machine.nodes.size() > 0)
    text += "\n[nodes]\n";
  for (const auto& [host, place] : machine.nodes.hosts())
    text += fmt::format("{} = {}\n", toml_string(host), place);
  return text;
}

} // namespace thalweg::machine

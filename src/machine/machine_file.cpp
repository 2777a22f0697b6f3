#include "core/error.hpp"
#include "core/units.hpp"
#include "machine/machine.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>
#include <toml++/toml.h>

namespace thalweg::machine {

namespace {

constexpr std::int64_t format_number = 1;
constexpr std::string_view unlimited = "any";

// Where in which file something is, for errors.
struct Place {
  const std::string& file;
  std::string path;

  [[noreturn]] void refuse(const std::string& what, const std::string& remedy) const {
    throw Error(fmt::format("{}: {}{}{}", file, path, path.empty() ? "" : " ", what), remedy);
  }
  Place inside(std::string_view name) const {
    return {file, path.empty() ? std::string(name) : fmt::format("{}.{}", path, name)};
  }
};

constexpr const char* measure_again = "correct it, or measure again: thalweg probe";

std::string text_of(const toml::table& table, std::string_view key, const Place& place,
                    std::string standard) {
  const toml::node* node = table.get(key);
  if (node == nullptr)
    return standard;
  const auto value = node->value_exact<std::string>();
  if (!value)
    place.inside(key).refuse("is no text", measure_again);
  return *value;
}

std::int64_t number_of(const toml::table& table, std::string_view key, const Place& place,
                       std::int64_t standard) {
  const toml::node* node = table.get(key);
  if (node == nullptr)
    return standard;
  const auto value = node->value_exact<std::int64_t>();
  if (!value || *value < 1 || *value > INT32_MAX)
    place.inside(key).refuse("is no whole number above 0", measure_again);
  return *value;
}

// "1.2 us (1.1 us .. 1.4 us)", the spread being optional.
Figure parse_figure(std::string_view text) {
  Figure figure;
  const std::size_t open = text.find(" (");
  figure.value = figure.low = figure.high = parse_seconds(text.substr(0, open));
  if (open == std::string_view::npos)
    return figure;
  const std::string_view spread = text.substr(open + 2);
  const std::size_t dots = spread.find(" .. ");
  if (dots == std::string_view::npos || spread.back() != ')')
    throw Error(fmt::format("'{}' is not a time with its spread", text), "write 1.2 us (1.1 us .. 1.4 us)");
  figure.low = parse_seconds(spread.substr(0, dots));
  figure.high = parse_seconds(spread.substr(dots + 4, spread.size() - dots - 5));
  return figure;
}

std::string figure_text(const Figure& figure) {
  if (figure.low == figure.value && figure.high == figure.value)
    return format_seconds(figure.value);
  return fmt::format("{} ({} .. {})", format_seconds(figure.value), format_seconds(figure.low),
                     format_seconds(figure.high));
}

Figure figure_of(const toml::table& table, std::string_view key, const Place& place) {
  try {
    return parse_figure(text_of(table, key, place, "0 s"));
  } catch (const Error& error) {
    place.inside(key).refuse(error.problem(), error.remedy());
  }
}

std::int64_t bytes_of(const toml::table& table, const Place& place) {
  const std::string text = text_of(table, "bytes", place, std::string(unlimited));
  try {
    return text == unlimited ? INT64_MAX : parse_bytes(text);
  } catch (const Error& error) {
    place.inside("bytes").refuse(error.problem(), error.remedy());
  }
}

std::string bytes_text(std::int64_t bytes) {
  return bytes == INT64_MAX ? std::string(unlimited) : exact_bytes(bytes);
}

// Calls `read` for each table of an array of tables; an absent array is an empty one.
void for_each_table(const toml::table& table, std::string_view key, const Place& place,
                    const std::function<void(const toml::table&, const Place&)>& read) {
  const toml::node* node = table.get(key);
  if (node == nullptr)
    return;
  const toml::array* rows = node->as_array();
  if (rows == nullptr)
    place.inside(key).refuse("is no array of tables", measure_again);
  for (std::size_t i = 0; i < rows->size(); ++i) {
    const Place row = place.inside(fmt::format("{}[{}]", key, i));
    const toml::table* fields = (*rows)[i].as_table();
    if (fields == nullptr)
      row.refuse("is no table", measure_again);
    read(*fields, row);
  }
}

// Ranges come by size, and the last one reaches to any size.
template <typename Row>
void settle(std::vector<Row>& rows) {
  std::ranges::sort(rows, {}, &Row::bytes_max);
  if (!rows.empty())
    rows.back().bytes_max = INT64_MAX;
}

struct CostField {
  std::string_view key;
  Figure MessageCost::*member;
};

constexpr std::array<CostField, 7> cost_fields{{{"latency", &MessageCost::latency},
                                                {"send", &MessageCost::send},
                                                {"send_per_byte", &MessageCost::send_per_byte},
                                                {"receive", &MessageCost::receive},
                                                {"receive_per_byte", &MessageCost::receive_per_byte},
                                                {"gap", &MessageCost::gap},
                                                {"gap_per_byte", &MessageCost::gap_per_byte}}};

std::string key_of(Level level) {
  std::string key(name(level));
  std::ranges::replace(key, ' ', '_');
  return key;
}

void read_level(Machine& machine, const toml::table& table, Level level, const Place& file) {
  const toml::node* node = table.get(key_of(level));
  if (node == nullptr)
    return;
  const Place place = file.inside(key_of(level));
  const toml::table* fields = node->as_table();
  if (fields == nullptr)
    place.refuse("is no table", measure_again);
  LevelCosts costs;
  costs.level = level;
  if (const toml::node* burst = fields->get("burst")) {
    const auto text = burst->value_exact<std::string>();
    if (!text)
      place.inside("burst").refuse("is no text", measure_again);
    costs.burst_bytes = static_cast<double>(parse_bytes(*text));
  }
  for_each_table(*fields, "message", place, [&](const toml::table& row, const Place& at) {
    MessageCost cost;
    cost.bytes_max = bytes_of(row, at);
    for (const CostField& field : cost_fields)
      cost.*field.member = figure_of(row, field.key, at);
    costs.ranges.push_back(cost);
  });
  if (costs.ranges.empty())
    place.refuse("has no [[message]] costs", measure_again);
  settle(costs.ranges);
  machine.levels.push_back(std::move(costs));
}

std::vector<Rate> read_rates(const toml::table& table, std::string_view key, const Place& place) {
  std::vector<Rate> rates;
  for_each_table(table, key, place, [&](const toml::table& row, const Place& at) {
    rates.push_back({bytes_of(row, at), figure_of(row, "per_byte", at)});
  });
  settle(rates);
  return rates;
}

Machine read(const toml::table& table, const std::string& name) {
  const Place place{name, ""};
  if (number_of(table, "format", place, 0) != format_number)
    place.refuse("is no machine file of this version", "measure again: thalweg probe");
  Machine machine;
  machine.title = text_of(table, "title", place, "");
  machine.mpi = text_of(table, "mpi", place, "");
  machine.transport = text_of(table, "transport", place, "");
  machine.date = text_of(table, "date", place, "");
  machine.network = text_of(table, "network_shape", place, "");
  machine.cores = static_cast<std::int32_t>(number_of(table, "cores", place, 1));
  machine.nodes_per_machine = static_cast<std::int32_t>(number_of(table, "nodes_per_machine", place, 1));
  machine.switch_core = figure_of(table, "switch_core", place);
  machine.step = figure_of(table, "step", place);
  machine.copy = read_rates(table, "copy", place);
  machine.combine = read_rates(table, "combine", place);
  for (std::size_t level = 0; level < level_count; ++level)
    read_level(machine, table, static_cast<Level>(level), place);
  if (machine.levels.empty())
    place.refuse("describes no level of the machine", measure_again);
  return machine;
}

void write_rates(std::string& text, std::string_view key, const std::vector<Rate>& rates) {
  for (const Rate& rate : rates)
    text += fmt::format("\n[[{}]]\nbytes = \"{}\"\nper_byte = \"{}\"\n", key, bytes_text(rate.bytes_max),
                        figure_text(rate.per_byte));
}

std::string quoted(std::string_view text) {
  std::ostringstream out;
  out << toml::value<std::string>(text);
  return out.str();
}

} // namespace

Machine parse_machine(std::string_view text, const std::string& name) {
  try {
    return read(toml::parse(text), name);
  } catch (const toml::parse_error& error) {
    throw Error(fmt::format("{}, line {}: {}", name, error.source().begin.line, error.description()),
                measure_again);
  }
}

Machine load_machine(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream)
    throw Error(fmt::format("the machine file {} cannot be read", file), "thalweg probe makes one");
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  return parse_machine(text, file);
}

std::string to_text(const Machine& machine) {
  std::string text = fmt::format(
      "# What thalweg probe found: times in seconds with their units, each with the spread of its\n"
      "# measurements (a tenth .. nine tenths). Rows hold for messages up to `bytes`.\n"
      "format = {}\ntitle = {}\nmpi = {}\ntransport = {}\ndate = {}\n",
      format_number, quoted(machine.title), quoted(machine.mpi), quoted(machine.transport),
      quoted(machine.date));
  text += fmt::format(
      "cores = {}\nnodes_per_machine = {}\nnetwork_shape = {}\nswitch_core = \"{}\"\nstep = \"{}\"\n",
      machine.cores, machine.nodes_per_machine, quoted(machine.network), figure_text(machine.switch_core),
      figure_text(machine.step));
  for (const LevelCosts& costs : machine.levels) {
    const std::string key = key_of(costs.level);
    text += fmt::format("\n[{}]\nburst = \"{}\"\n", key,
                        exact_bytes(static_cast<std::int64_t>(costs.burst_bytes)));
    for (const MessageCost& cost : costs.ranges) {
      text += fmt::format("\n[[{}.message]]\nbytes = \"{}\"\n", key, bytes_text(cost.bytes_max));
      for (const CostField& field : cost_fields)
        text += fmt::format("{} = \"{}\"\n", field.key, figure_text(cost.*field.member));
    }
  }
  write_rates(text, "copy", machine.copy);
  write_rates(text, "combine", machine.combine);
  return text;
}

} // namespace thalweg::machine

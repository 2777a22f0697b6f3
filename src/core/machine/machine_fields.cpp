// SPDX-License-Identifier: BSD-3-Clause
#include "machine/machine_fields.hpp"

#include "base/error.hpp"
#include "base/units.hpp"

#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace thalweg::machine {

namespace {

constexpr std::string_view times_unit = " times";

} // namespace

void Location::refuse(const std::string& what, const std::string& remedy) const {
  throw Error(fmt::format("{}: {}{}{}", place_in(file, line), path, path.empty() ? "" : " ", what), remedy);
}

Location Location::inside(std::string_view name, const toml::node* node) const {
  return {file, path.empty() ? std::string(name) : fmt::format("{}.{}", path, name), line_of(node)};
}

std::string text_of(const toml::table& table, std::string_view key, const Location& location,
                    std::string default_value, const char* remedy) {
  const toml::node* node = table.get(key);
  if (node == nullptr)
    return default_value;
  const auto value = node->value_exact<std::string>();
  if (!value)
    location.inside(key, node).refuse("is no text", remedy);
  return *value;
}

std::int64_t number_of(const toml::table& table, std::string_view key, const Location& location,
                       std::int64_t default_value, std::int64_t min) {
  const toml::node* node = table.get(key);
  if (node == nullptr)
    return default_value;
  const auto value = node->value_exact<std::int64_t>();
  if (!value || *value < min || *value > INT32_MAX)
    location.inside(key, node).refuse(fmt::format("is no whole number from {} to {}", min, INT32_MAX),
                                      measure_again);
  return *value;
}

double parse_times(std::string_view text) {
  double value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{} || std::string_view(end, text.data() + text.size()) != times_unit ||
      !std::isfinite(value) || value < 0)
    throw Error(fmt::format("'{}' is no factor", text), "write 1.2 times");
  return value;
}

std::string times_text(double value) {
  return fmt::format("{:.3g}{}", value, times_unit);
}

constinit const Unit seconds_unit{parse_seconds, format_seconds, "0 s", "write 1.2 us (1.1 us .. 1.4 us)"};
constinit const Unit factor_unit{parse_times, times_text, "1 times",
                                 "write 1.2 times (1.1 times .. 1.4 times)"};

namespace {

Figure parse_figure(std::string_view text, const Unit& unit) {
  Figure figure;
  const std::size_t open = text.find(" (");
  figure.value = figure.low = figure.high = unit.parse(text.substr(0, open));
  if (open == std::string_view::npos)
    return figure;
  const std::string_view spread = text.substr(open + 2);
  const std::size_t dots = spread.find(" .. ");
  if (dots == std::string_view::npos || spread.back() != ')')
    throw Error(fmt::format("'{}' is no figure with its spread", text), unit.example);
  figure.low = unit.parse(spread.substr(0, dots));
  figure.high = unit.parse(spread.substr(dots + 4, spread.size() - dots - 5));
  return figure;
}

} // namespace

std::string figure_text(const Figure& figure, const Unit& unit) {
  if (figure.low == figure.value && figure.high == figure.value)
    return unit.format(figure.value);
  return fmt::format("{} ({} .. {})", unit.format(figure.value), unit.format(figure.low),
                     unit.format(figure.high));
}

Figure figure_of(const toml::table& table, std::string_view key, const Location& location, const Unit& unit) {
  const std::string text = text_of(table, key, location, unit.default_text, unit.example);
  try {
    return parse_figure(text, unit);
  } catch (const Error& error) {
    location.inside(key, table.get(key)).refuse(error.problem(), error.remedy());
  }
}

std::int64_t bytes_of(const toml::table& table, std::string_view key, std::string_view default_value,
                      const Location& location) {
  const std::string text = text_of(table, key, location, std::string(default_value), "write 64KiB");
  try {
    return text == unlimited ? INT64_MAX : parse_bytes(text);
  } catch (const Error& error) {
    location.inside(key, table.get(key)).refuse(error.problem(), error.remedy());
  }
}

std::string bytes_text(std::int64_t bytes) {
  return bytes == INT64_MAX ? std::string(unlimited) : exact_bytes(bytes);
}

void for_each_table(const toml::table& table, std::string_view key, const Location& location,
                    const std::function<void(const toml::table&, const Location&)>& read) {
  const toml::node* node = table.get(key);
  if (node == nullptr)
    return;
  const toml::array* rows = node->as_array();
  if (rows == nullptr)
    location.inside(key, node).refuse("is no array of tables", measure_again);
  for (std::size_t i = 0; i < rows->size(); ++i) {
    const Location row = location.inside(fmt::format("{}[{}]", key, i), &(*rows)[i]);
    const toml::table* fields = (*rows)[i].as_table();
    if (fields == nullptr)
      row.refuse("is no table", measure_again);
    read(*fields, row);
  }
}

} // namespace thalweg::machine

// SPDX-License-Identifier: BSD-3-Clause
#include "base/units.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace thalweg {

namespace {

struct Unit {
  std::string_view name;
  int shift;
};

constexpr std::array<Unit, 12> units{{{"", 0},
                                      {"b", 0},
                                      {"k", 10},
                                      {"kb", 10},
                                      {"kib", 10},
                                      {"m", 20},
                                      {"mb", 20},
                                      {"mib", 20},
                                      {"g", 30},
                                      {"gb", 30},
                                      {"gib", 30},
                                      {"tib", 40}}};

[[noreturn]] void refuse(std::string_view text) {
  throw Error(fmt::format("'{}' is not a size", text),
              "write a whole number with an optional B, KiB, MiB or GiB");
}

} // namespace

std::int64_t parse_bytes(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc{} || number < 0)
    refuse(text);
  std::string suffix(end, text.data() + text.size());
  suffix.erase(0, suffix.find_first_not_of(' ') == std::string::npos ? suffix.size()
                                                                     : suffix.find_first_not_of(' '));
  std::ranges::transform(suffix, suffix.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto unit = std::ranges::find(units, suffix, &Unit::name);
  if (unit == units.end() || number > (std::numeric_limits<std::int64_t>::max() >> unit->shift))
    refuse(text);
  return number << unit->shift;
}

std::string format_bytes(std::int64_t bytes) {
  constexpr std::array<std::string_view, 5> names{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  auto value = static_cast<double>(bytes);
  while (value >= 1024 && unit + 1 < names.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.4g} {}", value, names[unit]);
}

std::string exact_bytes(std::int64_t bytes) {
  for (const auto& [shift, unit] : {std::pair{30, "GiB"}, {20, "MiB"}, {10, "KiB"}})
    if (bytes > 0 && bytes % (std::int64_t{1} << shift) == 0)
      return fmt::format("{}{}", bytes >> shift, unit);
  return fmt::format("{}B", bytes);
}

namespace {

struct TimeUnit {
  std::string_view name;
  double seconds;
};

constexpr std::array<TimeUnit, 5> time_units{
    {{"ps", 1e-12}, {"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}}};

} // namespace

double parse_seconds(std::string_view text) {
  double number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
  suffix.remove_prefix(std::min(suffix.find_first_not_of(' '), suffix.size()));
  const auto unit = std::ranges::find(time_units, suffix, &TimeUnit::name);
  if (status != std::errc{} || !std::isfinite(number) || number < 0 || unit == time_units.end())
    throw Error(fmt::format("'{}' is not a time", text), "write a number and ps, ns, us, ms or s: 1.5 us");
  return number * unit->seconds;
}

std::string format_seconds(double seconds) {
  const auto larger =
      std::ranges::find_if(time_units, [&](const TimeUnit& unit) { return unit.seconds > seconds; });
  const TimeUnit& unit = larger == time_units.begin() ? time_units.front() : *(larger - 1);
  return fmt::format("{:.4g} {}", seconds / unit.seconds, unit.name);
}

} // namespace thalweg

// SPDX-License-Identifier: BSD-3-Clause
#include "base/error.hpp"
#include "base/units.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace thalweg {

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

// SPDX-License-Identifier: BSD-3-Clause
#include "base/units.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
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

} // namespace thalweg

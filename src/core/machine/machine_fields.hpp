// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The fields of machine files: texts, numbers, figures with their units and spreads, sizes. What is not there
// has a value that the reader gives; what is something else is refused with its file, line and place.

#include "machine/machine.hpp"
#include "machine/toml_file.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace thalweg::machine {

inline constexpr const char* measure_again = "correct it, or measure again: thalweg machine probe";
inline constexpr std::string_view unlimited = "any"; ///< of sizes

/// Where in which file something is, for errors.
struct Location {
  const std::string& file;
  std::string path;
  std::uint32_t line = 0;

  [[noreturn]] void refuse(const std::string& what, const std::string& remedy) const;
  Location inside(std::string_view name, const toml::node* node) const;
};

/// How figures of a kind are read and written.
struct Unit {
  double (*parse)(std::string_view text);
  std::string (*format)(double value);
  const char* default_text;
  const char* example;
};

/// "1.2 times", of what stands where the key is explained.
double parse_times(std::string_view text);
std::string times_text(double value);

extern const Unit seconds_unit;
extern const Unit factor_unit;

std::string text_of(const toml::table& table, std::string_view key, const Location& location,
                    std::string default_value, const char* remedy = measure_again);
std::int64_t number_of(const toml::table& table, std::string_view key, const Location& location,
                       std::int64_t default_value, std::int64_t min = 1);
/// "1.2 us (1.1 us .. 1.4 us)", the spread being optional.
Figure figure_of(const toml::table& table, std::string_view key, const Location& location,
                 const Unit& unit = seconds_unit);
std::string figure_text(const Figure& figure, const Unit& unit = seconds_unit);
std::int64_t bytes_of(const toml::table& table, std::string_view key, std::string_view default_value,
                      const Location& location);
std::string bytes_text(std::int64_t bytes);

/// Calls `read` for each table of an array of tables; an absent array is an empty one.
void for_each_table(const toml::table& table, std::string_view key, const Location& location,
                    const std::function<void(const toml::table&, const Location&)>& read);

} // namespace thalweg::machine

// SPDX-License-Identifier: BSD-3-Clause
#include "machine/own_settings.hpp"

#include <algorithm>

namespace thalweg::machine {

std::vector<std::string_view> own_settings(Environment environment) {
  const char* const value = environment("THALWEG_OWN_SETTINGS");
  std::string_view left = value == nullptr ? "" : value;
  std::vector<std::string_view> names;
  while (!left.empty()) {
    const std::size_t end = std::min(left.find(','), left.size());
    names.push_back(left.substr(0, end));
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return names;
}

bool is_own_setting(std::string_view name, Environment environment) {
  const std::vector<std::string_view> names = own_settings(environment);
  return std::ranges::find(names, name) != names.end();
}

} // namespace thalweg::machine

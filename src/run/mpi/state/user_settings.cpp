// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/state/user_settings.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "machine/own_settings.hpp"

extern char** environ;

namespace thalweg::mpi {

namespace {

constexpr std::array<std::string_view, 7> steering{
    "OMPI_MCA_coll",   "OMPI_MCA_mpi_yield", "MPIR_CVAR_",  "I_MPI_ADJUST",
    "I_MPI_WAIT_MODE", "I_MPI_THREAD_YIELD", "I_MPI_TUNING"};

// Hydra gives it to every rank.
constexpr std::string_view set_by_launcher = "MPIR_CVAR_CH3_INTERFACE_HOSTNAME";

const char* environment(const char* name) {
  return std::getenv(name);
}

std::string_view name_of(std::string_view setting) {
  return setting.substr(0, setting.find('='));
}

bool is_the_users(std::string_view setting) {
  const std::string_view name = name_of(setting);
  return name != set_by_launcher && !machine::is_own_setting(name, environment);
}

struct NamePattern {
  std::string_view prefix;
  std::string_view inside;
  std::string_view suffix;
};

constexpr std::array algorithm_choices{
#define THALWEG_USER_ALGORITHM(prefix, inside, suffix) NamePattern{prefix, inside, suffix},
#include "mpi/state/user_algorithms.inc"
#undef THALWEG_USER_ALGORITHM
};

bool chooses_algorithms(std::string_view name) {
  return std::ranges::any_of(algorithm_choices, [name](const NamePattern& pattern) {
    return name.starts_with(pattern.prefix) && name.find(pattern.inside) != std::string_view::npos &&
           name.ends_with(pattern.suffix);
  });
}

} // namespace

std::vector<std::string> user_settings() {
  std::vector<std::string> result;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view setting = *variable;
    const auto begins = [&](std::string_view prefix) { return setting.starts_with(prefix); };
    if (std::ranges::any_of(steering, begins) && is_the_users(setting)) {
      result.emplace_back(setting);
    }
  }
  return result;
}

std::vector<std::string> user_algorithms() {
  std::vector<std::string> result = user_settings();
  std::erase_if(result, [](const std::string& setting) { return !chooses_algorithms(name_of(setting)); });
  return result;
}

bool library_has_rules() {
  return std::ranges::any_of(machine::own_settings(environment), chooses_algorithms);
}

} // namespace thalweg::mpi

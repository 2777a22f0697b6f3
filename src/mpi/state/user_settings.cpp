#include "mpi/state/user_settings.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

extern char** environ;

namespace thalweg::mpi {

namespace {

constexpr std::array<std::string_view, 7> steering{
    "OMPI_MCA_coll",   "OMPI_MCA_mpi_yield", "MPIR_CVAR_",  "I_MPI_ADJUST",
    "I_MPI_WAIT_MODE", "I_MPI_THREAD_YIELD", "I_MPI_TUNING"};

// `thalweg run` tells the library of the tuning file's picks, and names the variables that it set for that.
bool is_ours(std::string_view setting) {
  const char* names = std::getenv("THALWEG_LIBRARY_RULES");
  std::string_view left = names == nullptr ? "" : names;
  while (!left.empty()) {
    const std::size_t end = std::min(left.find(','), left.size());
    if (setting.substr(0, setting.find('=')) == left.substr(0, end))
      return true;
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return false;
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

bool chooses_algorithms(std::string_view setting) {
  const std::string_view name = setting.substr(0, setting.find('='));
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
    if (std::ranges::any_of(steering, begins) && !is_ours(setting)) {
      result.emplace_back(setting);
    }
  }
  return result;
}

std::vector<std::string> user_algorithms() {
  std::vector<std::string> result = user_settings();
  std::erase_if(result, [](const std::string& setting) { return !chooses_algorithms(setting); });
  return result;
}

} // namespace thalweg::mpi

// SPDX-License-Identifier: BSD-3-Clause
#include "machine/probed_machines.hpp"

#include <algorithm>
#include <filesystem>

namespace thalweg::machine {

namespace {

namespace fs = std::filesystem;

std::string value_or(Environment environment, const char* name, const std::string& other) {
  const char* const value = environment(name);
  return value == nullptr || *value == 0 ? other : value;
}

} // namespace

std::string default_tuning_path(Environment environment) {
  const fs::path home = value_or(environment, "HOME", "/");
  const fs::path data = value_or(environment, "XDG_DATA_HOME", home / ".local" / "share");
  return data / "thalweg" / "tuning.toml";
}

std::vector<Machine> probed_machines(const std::string& tuning_path) {
  std::vector<Machine> machines;
  if (tuning_path.empty())
    return machines;
  std::error_code none;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (const fs::directory_entry& file :
       fs::directory_iterator(fs::path(tuning_path).parent_path() / "machines", none))
    files.emplace_back(file.last_write_time(none), file.path());
  std::ranges::sort(files, std::greater{});
  for (const auto& [time, path] : files) {
    try {
      machines.push_back(load_machine(path.string()));
    } catch (const std::exception&) {
      continue;
    }
  }
  return machines;
}

} // namespace thalweg::machine

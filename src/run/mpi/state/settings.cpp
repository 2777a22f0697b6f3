// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/state/settings.hpp"

#include "machine/fingerprint.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <fmt/format.h>
#include <string_view>

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

namespace {

struct Variable {
  const char* name;
  std::uint32_t max; // where it is a number
};

// What THALWEG_WAIT was called: always, never or auto. Read before it, so that the new name wins.
constexpr const char* former_wait = "THALWEG_POLITE";

constexpr std::array variables{
    Variable{former_wait, 0},
#define THALWEG_SETTING(setting, variable, max) Variable{variable, max},
#include "mpi/state/settings_table.inc"
#undef THALWEG_SETTING
};

void warn(Settings& settings, std::string_view name, std::string_view value, std::string_view remedy) {
  settings.warnings.push_back(
      fmt::format("{}='{}' is not understood and ignored; use {}", name, value, remedy));
}

void read_flag(Settings& settings, std::string_view name, std::string_view value, bool& flag) {
  if (value == "1" || value == "0" || value.empty()) {
    flag = value == "1";
  } else {
    warn(settings, name, value, "0 or 1");
  }
}

void read_number(Settings& settings, std::string_view name, std::string_view value, std::string_view unit,
                 std::uint32_t& result) {
  const std::uint32_t limit = std::ranges::find(variables, name, &Variable::name)->max;
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error == std::errc() && end == value.data() + value.size() && number <= limit) {
    result = number;
  } else {
    warn(settings, name, value, fmt::format("whole {} up to {}", unit, limit));
  }
}

void read_wait_mode(Settings& settings, std::string_view name, std::string_view value) {
  if (value == "auto" || value.empty()) {
    settings.wait_mode = WaitMode::automatic;
  } else if (value == "yield" || (name == former_wait && value == "always")) {
    settings.wait_mode = WaitMode::yield;
  } else if (value == "spin" || (name == former_wait && value == "never")) {
    settings.wait_mode = WaitMode::spin;
  } else {
    warn(settings, name, value, "auto, yield or spin");
  }
}

void read_gpu_buffers(Settings& settings, std::string_view name, std::string_view value) {
  if (value == "auto" || value.empty()) {
    settings.gpu_buffers = GpuBuffers::automatic;
  } else if (value == "yes") {
    settings.gpu_buffers = GpuBuffers::yes;
  } else if (value == "no") {
    settings.gpu_buffers = GpuBuffers::no;
  } else {
    warn(settings, name, value, "auto, yes or no");
  }
}

void read_learn(Settings& settings, std::string_view name, std::string_view value) {
  if (value == "off" || value.empty()) {
    settings.learn = LearnMode::off;
  } else if (value == "exact") {
    settings.learn = LearnMode::exact;
  } else if (value == "all") {
    settings.learn = LearnMode::all;
  } else {
    warn(settings, name, value, "exact, all or off");
  }
}

void read(Settings& settings, std::string_view name, std::string_view value) {
  if (name == "THALWEG_DISABLE") {
    read_flag(settings, name, value, settings.disabled);
  } else if (name == "THALWEG_USE") {
    settings.use = value;
  } else if (name == "THALWEG_WAIT" || name == former_wait) {
    read_wait_mode(settings, name, value);
  } else if (name == "THALWEG_POLL_US") {
    read_number(settings, name, value, "microseconds", settings.waiting.poll_us);
  } else if (name == "THALWEG_YIELD_US") {
    read_number(settings, name, value, "microseconds", settings.waiting.yield_us);
  } else if (name == "THALWEG_SLEEP_US") {
    read_number(settings, name, value, "microseconds", settings.waiting.sleep_us_max);
  } else if (name == "THALWEG_LEARN") {
    read_learn(settings, name, value);
  } else if (name == "THALWEG_LEARN_BUDGET") {
    read_number(settings, name, value, "percent", settings.learn_budget_percent);
  } else if (name == "THALWEG_TUNING") {
    settings.tuning = value == "off" ? "" : value;
  } else if (name == "THALWEG_NODE_LIST") {
    settings.node_list = value;
  } else if (name == "THALWEG_REPORT") {
    settings.report = value;
  } else if (name == "THALWEG_LOGS") {
    settings.logs = value;
  } else if (name == "THALWEG_SUMMARY") {
    read_flag(settings, name, value, settings.summary);
  } else if (name == "THALWEG_RECORD") {
    read_flag(settings, name, value, settings.record);
  } else if (name == "THALWEG_TRACE") {
    read_flag(settings, name, value, settings.trace);
  } else if (name == "THALWEG_TIMELINE") {
    settings.timeline = value;
  } else if (name == "THALWEG_TIMELINE_SIZE") {
    read_number(settings, name, value, "mebibytes", settings.timeline_size);
  } else if (name == "THALWEG_PATTERNS") {
    settings.patterns = value;
  } else if (name == "THALWEG_PLACE") {
    settings.place = value == "off" ? "" : value;
  } else if (name == "THALWEG_REORDER") {
    read_flag(settings, name, value, settings.reorder);
  } else if (name == "THALWEG_PROGRESS_THREAD") {
    read_flag(settings, name, value, settings.progress_thread);
  } else if (name == "THALWEG_SHARED_MEMORY") {
    read_flag(settings, name, value, settings.shared_memory);
  } else if (name == "THALWEG_STREAM_PROGRESS") {
    read_flag(settings, name, value, settings.stream_progress);
  } else if (name == "THALWEG_GPU_BUFFERS") {
    read_gpu_buffers(settings, name, value);
  } else if (name == "THALWEG_VERBOSE") {
    read_flag(settings, name, value, settings.verbose);
  }
}

} // namespace

std::string settings_text(Environment environment) {
  std::string text;
  for (const auto& [name, max] : variables) {
    if (const char* value = environment(name)) {
      std::string line = fmt::format("{}={}", name, value);
      for (char& letter : line) {
        letter = letter == '\n' ? ' ' : letter;
      }
      text += line + '\n';
    }
  }
  return text;
}

Settings parse_settings(std::string_view text) {
  Settings settings;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    const std::size_t equals = line.find('=');
    if (equals != std::string_view::npos) {
      read(settings, line.substr(0, equals), line.substr(equals + 1));
    }
  }
  if (settings.waiting.sleep_us_max < settings.waiting.sleep_us_min) {
    settings.waiting.sleep_us_min = settings.waiting.sleep_us_max;
  }
  return settings;
}

} // namespace thalweg::mpi

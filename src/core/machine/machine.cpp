// SPDX-License-Identifier: BSD-3-Clause
#include "machine/machine.hpp"

#include "base/assertion.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace thalweg::machine {

namespace {

constexpr std::array<std::string_view, level_count> level_names{"core complex", "socket", "node", "network"};

double seconds(const std::vector<Rate>& rates, std::int64_t bytes) {
  THALWEG_ASSERT(normal, bytes >= 0);
  if (rates.empty())
    return 0;
  const auto fits = std::ranges::find_if(rates, [&](const Rate& rate) { return bytes <= rate.bytes_max; });
  return (fits == rates.end() ? rates.back() : *fits).per_byte.value * static_cast<double>(bytes);
}

Figure exactly(double value) {
  return {value, value, value};
}

} // namespace

std::string_view name(Level level) {
  THALWEG_ASSERT(normal, static_cast<std::size_t>(level) < level_count);
  return level_names[static_cast<std::size_t>(level)];
}

const MessageCost& LevelCosts::at(std::int64_t bytes) const {
  THALWEG_ASSERT(normal, !ranges.empty());
  const auto fits =
      std::ranges::find_if(ranges, [&](const MessageCost& range) { return bytes <= range.bytes_max; });
  return fits == ranges.end() ? ranges.back() : *fits;
}

const LevelCosts& Machine::at(Level level) const {
  THALWEG_ASSERT(normal, !levels.empty());
  const auto distance = [&](const LevelCosts& costs) {
    const bool crosses = (costs.level == Level::network) != (level == Level::network);
    return std::abs(static_cast<int>(costs.level) - static_cast<int>(level)) +
           (crosses ? static_cast<int>(level_count) : 0);
  };
  return *std::ranges::min_element(levels, {}, distance);
}

MessageCost Machine::between(const LevelCosts& level, const MessageCost& cost, std::int32_t one,
                             std::int32_t other) const {
  const DistanceClass* const apart = distances.between(one, other);
  const DistanceClass* const measured = distances.like(level.round_trip.value);
  if (apart == nullptr || measured == nullptr || apart == measured)
    return cost;
  // A message is a line's way at least, and its bytes are written once and read once.
  MessageCost result = cost;
  const auto add = [](Figure& figure, double seconds) {
    for (double Figure::*part : {&Figure::value, &Figure::low, &Figure::high})
      figure.*part = std::max(0.0, figure.*part + seconds);
  };
  add(result.latency, (apart->round_trip.value - measured->round_trip.value) / 2);
  add(result.send_per_byte, apart->write_per_byte.value - measured->write_per_byte.value);
  add(result.receive_per_byte, apart->read_per_byte.value - measured->read_per_byte.value);
  return result;
}

double Machine::copy_seconds(std::int64_t bytes) const {
  return seconds(copy, bytes);
}

double Machine::combine_seconds(std::int64_t bytes) const {
  return seconds(combine, bytes);
}

Machine default_machine() {
  Machine machine;
  machine.title = "a machine that nobody measured: thalweg machine probe measures this one";
  machine.cores = 8;
  const auto range = [](std::int64_t bytes_max, double latency, double overhead, double overhead_per_byte,
                        double gap, double gap_per_byte) {
    return MessageCost{.bytes_max = bytes_max,
                       .latency = exactly(latency),
                       .send = exactly(overhead),
                       .send_per_byte = exactly(overhead_per_byte),
                       .receive = exactly(overhead),
                       .receive_per_byte = exactly(overhead_per_byte),
                       .gap = exactly(gap),
                       .gap_per_byte = exactly(gap_per_byte),
                       .unexpected = {},
                       .unexpected_per_byte = {},
                       .overlapped = exactly(2 * overhead),
                       .overlapped_per_byte = exactly(2 * overhead_per_byte)};
  };
  machine.levels = {
      {Level::node, {range(4096, 1e-7, 1e-7, 1e-10, 0, 0), range(INT64_MAX, 1e-6, 4e-7, 8e-11, 0, 0)}, 0},
      {Level::network,
       {range(8192, 5e-6, 1e-6, 2e-10, 5e-7, 8e-10), range(INT64_MAX, 1e-5, 2e-6, 1e-10, 5e-7, 8e-10)},
       0},
  };
  machine.copy = {{1 << 15, exactly(3e-11)}, {1 << 20, exactly(6e-11)}, {INT64_MAX, exactly(1.2e-10)}};
  machine.combine = {{1 << 15, exactly(5e-11)}, {1 << 20, exactly(8e-11)}, {INT64_MAX, exactly(1.8e-10)}};
  machine.switch_core = exactly(3e-6);
  machine.step = exactly(5e-8);
  return machine;
}

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

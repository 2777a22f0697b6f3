// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/learned_lines.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/units.hpp"

namespace thalweg::mpi::observe {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t max_lines = 10;

double measured(const ordered_json& entry, const std::string& candidate) {
  for (const ordered_json& trial : entry.at("trials"))
    if (trial.at("candidate") == candidate)
      return trial.value("measured_s", 0.0);
  return 0;
}

std::size_t tried(const ordered_json& entry) {
  return static_cast<std::size_t>(std::ranges::count_if(
      entry.at("trials"), [](const ordered_json& trial) { return trial.contains("measured_s"); }));
}

std::string line(const ordered_json& entry) {
  const auto use = entry.at("use").get<std::string>();
  const double native = measured(entry, "native");
  const double pick = measured(entry, use);
  const std::string gain = use == "native" || pick <= 0 || native <= 0
                               ? ""
                               : fmt::format(", {:.2f} times as fast as native", native / pick);
  const double time = std::max(entry.at("time_s").get<double>(), 1e-12);
  return fmt::format(
      "learned: {} of {}, {} ranks: {}{}; {}; {} of {} candidates tried, for {:.1f}% of its time\n",
      entry.at("call").get<std::string>(), format_bytes(entry.at("bytes").get<std::int64_t>()),
      entry.at("ranks").get<int>(), use, gain, entry.at("state").get<std::string>(), tried(entry),
      entry.at("trials").size(), 100 * entry.at("spent_s").get<double>() / time);
}

} // namespace

std::string learned_lines(const std::string& learned) {
  if (learned.empty())
    return "";
  std::vector<ordered_json> entries = ordered_json::parse(learned);
  std::ranges::stable_sort(entries, std::greater(),
                           [](const ordered_json& entry) { return entry.at("time_s").get<double>(); });
  std::string text;
  for (std::size_t i = 0; i < std::min(entries.size(), max_lines); ++i)
    text += line(entries[i]);
  if (entries.size() > max_lines)
    text += fmt::format("... and {} more kinds of calls learned about\n", entries.size() - max_lines);
  return text;
}

} // namespace thalweg::mpi::observe

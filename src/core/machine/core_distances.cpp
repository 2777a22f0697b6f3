// SPDX-License-Identifier: BSD-3-Clause
#include "machine/core_distances.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace thalweg::machine {

namespace {

constexpr const char* remedy = "write cores = [\"0-3\", \"4-7\"], or measure again: thalweg machine probe";

std::int32_t core_number(std::string_view text) {
  std::int32_t number = -1;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc{} || end != text.data() + text.size() || number < 0 || number >= max_cores)
    throw Error(fmt::format("'{}' is no core", text), remedy);
  return number;
}

std::int32_t group_in(const DistanceClass& one, std::int32_t core) {
  return core < 0 || core >= std::ssize(one.group_of) ? -1 : one.group_of[static_cast<std::size_t>(core)];
}

} // namespace

bool DistanceClass::holds(std::int32_t one, std::int32_t other) const {
  const std::int32_t group = group_in(*this, one);
  return group >= 0 && group == group_in(*this, other);
}

std::vector<std::vector<std::int32_t>> DistanceClass::groups() const {
  std::vector<std::vector<std::int32_t>> found;
  for (std::size_t core = 0; core < group_of.size(); ++core) {
    if (group_of[core] < 0)
      continue;
    const auto group = static_cast<std::size_t>(group_of[core]);
    found.resize(std::max(found.size(), group + 1));
    found[group].push_back(static_cast<std::int32_t>(core));
  }
  return found;
}

void DistanceClass::set_groups(const std::vector<std::vector<std::int32_t>>& groups) {
  group_of.clear();
  std::int32_t number = 0;
  for (const std::vector<std::int32_t>& group : groups) {
    if (group.size() < 2)
      throw Error("a group of cores has fewer than two", remedy);
    for (const std::int32_t core : group) {
      if (core < 0 || core >= max_cores)
        throw Error(fmt::format("{} is no core", core), remedy);
      if (group_in(*this, core) >= 0)
        throw Error(fmt::format("core {} is in two groups", core), remedy);
      group_of.resize(std::max(group_of.size(), static_cast<std::size_t>(core) + 1), -1);
      group_of[static_cast<std::size_t>(core)] = number;
    }
    ++number;
  }
}

const DistanceClass* CoreDistances::between(std::int32_t one, std::int32_t other) const {
  const auto found = std::ranges::find_if(
      classes, [&](const DistanceClass& candidate) { return candidate.holds(one, other); });
  return found == classes.end() ? nullptr : &*found;
}

const DistanceClass* CoreDistances::like(double round_trip) const {
  if (round_trip <= 0 || classes.empty())
    return nullptr;
  return &*std::ranges::min_element(classes, {}, [&](const DistanceClass& candidate) {
    return std::abs(std::log(candidate.round_trip.value / round_trip));
  });
}

void CoreDistances::check() const {
  for (std::size_t number = 0; number < classes.size(); ++number) {
    const DistanceClass& one = classes[number];
    if (one.round_trip.value <= 0)
      throw Error("a class of distances has no round_trip", remedy);
    if (one.groups().empty())
      throw Error("a class of distances has no cores", remedy);
    if (number == 0)
      continue;
    const DistanceClass& nearer = classes[number - 1];
    if (nearer.round_trip.value >= one.round_trip.value)
      throw Error("classes of distances do not stand nearest first", remedy);
    for (const std::vector<std::int32_t>& group : nearer.groups())
      if (!std::ranges::all_of(group, [&](std::int32_t core) { return one.holds(group.front(), core); }))
        throw Error(fmt::format("cores {} are near, and are not together farther off", cores_text(group)),
                    remedy);
  }
}

std::vector<std::int32_t> parse_cores(std::string_view text) {
  std::vector<std::int32_t> cores;
  for (bool has_more = true; has_more;) {
    const std::size_t comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    has_more = comma != std::string_view::npos;
    text = has_more ? text.substr(comma + 1) : std::string_view{};
    const std::size_t dash = part.find('-');
    const std::int32_t first = core_number(part.substr(0, dash));
    const std::int32_t last = dash == std::string_view::npos ? first : core_number(part.substr(dash + 1));
    if (last < first || (!cores.empty() && first <= cores.back()))
      throw Error(fmt::format("cores '{}' do not ascend", part), remedy);
    for (std::int32_t core = first; core <= last; ++core)
      cores.push_back(core);
  }
  return cores;
}

std::string cores_text(const std::vector<std::int32_t>& cores) {
  std::string text;
  for (std::size_t begin = 0; begin < cores.size();) {
    std::size_t end = begin + 1;
    while (end < cores.size() && cores[end] == cores[end - 1] + 1)
      ++end;
    text += fmt::format("{}{}", begin == 0 ? "" : ",", cores[begin]);
    if (end - begin > 1)
      text += fmt::format("-{}", cores[end - 1]);
    begin = end;
  }
  return text;
}

} // namespace thalweg::machine

// SPDX-License-Identifier: BSD-3-Clause
#include "place/goal.hpp"

#include "base/error.hpp"

#include <array>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

namespace thalweg::place {

namespace {

struct Named {
  std::string_view name;
  double Goal::*weight;
  double Metrics::*metric;
};

constexpr std::array objectives{
    Named{"hop-bytes", &Goal::hop_bytes, &Metrics::hop_bytes},
    Named{"link", &Goal::link, &Metrics::link_max},
    Named{"contention", &Goal::contention, &Metrics::phase_link_max},
    Named{"time", &Goal::time, &Metrics::seconds},
};

[[noreturn]] void refuse(std::string_view text) {
  throw Error(fmt::format("an objective {}", text),
              "choose hop-bytes, link, contention or time, or a mixture: hop-bytes:1,contention:2");
}

double weight_of(std::string_view part, std::size_t colon) {
  if (colon == std::string_view::npos)
    return 1;
  const std::string number(part.substr(colon + 1));
  char* end = nullptr;
  const double weight = std::strtod(number.c_str(), &end);
  if (number.empty() || end != number.c_str() + number.size() || !std::isfinite(weight) || weight < 0)
    refuse(part);
  return weight;
}

} // namespace

Goal parse_goal(std::string_view text) {
  Goal goal{0, 0, 0, 0};
  double sum = 0;
  for (std::string_view left = text; !left.empty();) {
    const std::string_view part = left.substr(0, left.find(','));
    left.remove_prefix(std::min(left.size(), part.size() + 1));
    const std::size_t colon = part.find(':');
    bool is_known = false;
    for (const Named& objective : objectives)
      if (objective.name == part.substr(0, colon)) {
        goal.*objective.weight = weight_of(part, colon);
        sum += goal.*objective.weight;
        is_known = true;
      }
    if (!is_known)
      refuse(text);
  }
  if (!(sum > 0) || !std::isfinite(sum))
    refuse(text);
  return goal;
}

std::string name(const Goal& goal) {
  std::string text;
  for (const Named& objective : objectives)
    if (const double weight = goal.*objective.weight; weight > 0)
      text += fmt::format("{}{}:{}", text.empty() ? "" : ",", objective.name, weight);
  return text;
}

double value(const Goal& goal, const Metrics& metrics, const Metrics& identity) {
  double sum = 0;
  double weights = 0;
  for (const Named& objective : objectives) {
    const double weight = goal.*objective.weight;
    weights += weight;
    if (weight > 0 && identity.*objective.metric > 0)
      sum += weight * (metrics.*objective.metric / identity.*objective.metric);
    else if (weight > 0)
      sum += weight * (metrics.*objective.metric > 0 ? 2 : 1); // what identity has for nothing stays so
  }
  return sum / weights;
}

} // namespace thalweg::place

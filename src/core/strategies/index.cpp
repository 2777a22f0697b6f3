// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/index.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/units.hpp"
#include "strategies/order.hpp"
#include "topology/network.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#define THALWEG_STRATEGY(operation, function)                                                                \
  namespace thalweg::strategies::operation {                                                                 \
  Strategy function();                                                                                       \
  }
#include "strategies/index.inc"
#undef THALWEG_STRATEGY

namespace thalweg::strategies {

namespace {

Strategy complete(Strategy strategy) {
  return strategy.order_matters ? with_order(std::move(strategy)) : strategy;
}

std::vector<Strategy> list() {
  std::vector<Strategy> strategies;
#define THALWEG_STRATEGY(operation, function) strategies.push_back(complete(operation::function()));
#include "strategies/index.inc"
#undef THALWEG_STRATEGY
  std::ranges::stable_sort(strategies, {}, &Strategy::operation);
  return strategies;
}

std::string format_value(const Parameter& parameter, std::int64_t value) {
  return parameter.kind == ParameterKind::bytes ? format_bytes(value) : fmt::to_string(value);
}

} // namespace

std::span<const Strategy> all() {
  static const std::vector<Strategy> strategies = list();
  return strategies;
}

std::span<const Strategy> of(Operation operation) {
  const auto found = std::ranges::equal_range(all(), operation, {}, &Strategy::operation);
  return {found.begin(), found.end()};
}

const Strategy& find(Operation operation, std::string_view name) {
  std::vector<std::string_view> names;
  for (const Strategy& strategy : of(operation)) {
    if (strategy.name == name)
      return strategy;
    names.push_back(strategy.name);
  }
  throw Error(fmt::format("no strategy '{}' for {}", name, schedule::name(operation)),
              fmt::format("did you mean {}? 'thalweg strategies {}' lists all",
                          fmt::join(nearest(name, names), ", "), schedule::name(operation)));
}

schedule::Parameters resolve(const Strategy& strategy, const schedule::Parameters& given) {
  schedule::Parameters values;
  for (const Parameter& parameter : strategy.parameters)
    values.emplace_back(parameter.name, parameter.default_value);
  for (const auto& [name, value] : given) {
    const auto parameter = std::ranges::find(strategy.parameters, name, &Parameter::name);
    if (parameter == strategy.parameters.end()) {
      std::vector<std::string_view> names;
      for (const Parameter& known : strategy.parameters)
        names.push_back(known.name);
      throw Error(
          fmt::format("{} {} has no parameter '{}'", schedule::name(strategy.operation), strategy.name, name),
          names.empty() ? "it takes none" : fmt::format("it takes {}", fmt::join(names, ", ")));
    }
    if (value < parameter->min || value > parameter->max)
      throw Error(fmt::format("{} {}: {}={} is out of range", schedule::name(strategy.operation),
                              strategy.name, name, format_value(*parameter, value)),
                  fmt::format("choose {} to {}", format_value(*parameter, parameter->min),
                              format_value(*parameter, parameter->max)));
    values[static_cast<std::size_t>(parameter - strategy.parameters.begin())].second = value;
  }
  return values;
}

std::optional<std::string> unsupported_reason(const Strategy& strategy, const Problem& problem) {
  if (!problem.commutative && schedule::is_reduction(problem.operation) && !strategy.keeps_rank_order)
    return "it reorders operands, and the operator does not commute";
  if (strategy.unsupported_reason)
    return strategy.unsupported_reason(problem);
  return std::nullopt;
}

std::int32_t pieces(const Strategy& strategy, const Problem& problem) {
  return strategy.pieces ? std::max(1, strategy.pieces(problem)) : 1;
}

Problem with_phases(const Strategy& strategy, Problem problem, const topology::NodePlaces& node_places) {
  if (strategy.find_phases && !problem.phases)
    problem.phases = strategy.find_phases(problem, node_places);
  return problem;
}

schedule::Schedule build(const Strategy& strategy, const Problem& problem, Rank rank) {
  if (strategy.find_phases && !problem.phases)
    return build(strategy, with_phases(strategy, problem, {}), rank);
  THALWEG_ASSERT(light, problem.operation == strategy.operation);
  THALWEG_ASSERT(heavy, !unsupported_reason(strategy, problem));
  Builder builder(problem, rank, pieces(strategy, problem));
  strategy.append(builder);
  return builder.finish();
}

std::vector<schedule::Schedule> build_all(const Strategy& strategy, const Problem& problem) {
  const Problem whole = with_phases(strategy, problem, {});
  std::vector<schedule::Schedule> schedules;
  for (Rank rank = 0; rank < problem.ranks; ++rank)
    schedules.push_back(build(strategy, whole, rank));
  return schedules;
}

void append_stage(Builder& builder, std::string_view name, schedule::Subproblem sub,
                  const schedule::Parameters& parameters) {
  const Strategy& strategy = find(sub.problem.operation, name);
  THALWEG_ASSERT(light, !sub.members.empty());
  sub.problem.ranks = static_cast<std::int32_t>(sub.members.size());
  sub.problem.parameters = resolve(strategy, parameters);
  sub.pieces = pieces(strategy, sub.problem);
  if (const auto why = unsupported_reason(strategy, sub.problem))
    throw Error(
        fmt::format("{} {} cannot be a stage here: {}", schedule::name(strategy.operation), name, *why),
        "choose another strategy for the stage");
  builder.round();
  Builder inner = builder.subgroup(sub);
  strategy.append(inner);
  builder.round();
}

} // namespace thalweg::strategies

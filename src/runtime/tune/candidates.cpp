// SPDX-License-Identifier: BSD-3-Clause
#include "tune/candidates.hpp"

#include "base/arithmetic.hpp"
#include "base/error.hpp"
#include "model/message_terms.hpp"
#include "strategies/host_tree.hpp"
#include "strategies/order.hpp"
#include "tune/parallel.hpp"
#include "tune/prediction.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <set>
#include <utility>

namespace thalweg::tune {

namespace {

// Two lanes of multiplications by odd constants (those of xxHash) and rotations.
class Hasher {
public:
  void add(std::uint64_t number) {
    result_.first = std::rotl(result_.first ^ (number * 0x9e3779b185ebca87U), 31) * 0xc2b2ae3d27d4eb4fU;
    result_.second = std::rotl(result_.second + (number * 0x165667b19e3779f9U), 27) * 0x85ebca77c2b2ae63U;
  }
  void add(std::int32_t high, std::int32_t low) {
    add(static_cast<std::uint64_t>(static_cast<std::uint32_t>(high)) << 32 | static_cast<std::uint32_t>(low));
  }
  ScheduleHash result() const { return result_; }

private:
  ScheduleHash result_ = {0x27d4eb2f165667c5U, 0x61c8864e7a143579U};
};

void add(Hasher& hasher, std::span<const schedule::BlockRange> ranges) {
  hasher.add(ranges.size());
  for (const schedule::BlockRange& range : ranges) {
    hasher.add(static_cast<std::int32_t>(range.buffer), range.first);
    hasher.add(range.run, range.count);
    hasher.add(static_cast<std::uint64_t>(range.count == 1 ? 0 : range.stride));
  }
}

void add(Hasher& hasher, const schedule::Schedule& schedule) {
  hasher.add(schedule.pieces, static_cast<std::int32_t>(schedule.steps.size()));
  hasher.add(schedule.stages.size());
  for (const std::uint32_t stage : schedule.stages)
    hasher.add(stage);
  for (const schedule::Step& step : schedule.steps) {
    hasher.add(static_cast<std::int32_t>(step.kind) << 1 | static_cast<std::int32_t>(step.side), step.peer);
    add(hasher, schedule.source(step));
    add(hasher, schedule.target(step));
    hasher.add(step.predecessors.size);
    for (const std::uint32_t predecessor : schedule.predecessors_of(step))
      hasher.add(predecessor);
  }
}

} // namespace

ScheduleHash hash(std::span<const schedule::Schedule> schedules) {
  Hasher hasher;
  for (const schedule::Schedule& schedule : schedules)
    add(hasher, schedule);
  return hasher.result();
}

namespace {

using strategies::Parameter;
using strategies::ParameterKind;
using strategies::Problem;
using strategies::Strategy;

constexpr std::array<std::int64_t, 6> counts_to_try{1, 2, 3, 4, 8, 16};
constexpr std::int64_t smallest_segment = 1024;
constexpr std::int64_t largest_segment = 1 << 20;
constexpr std::int64_t max_segments = 64;
// What takes so many times as long as the best of the quickly predicted is far behind.
constexpr double far_behind = 4;
// So many candidates at least are predicted whole to find what far behind is.
constexpr std::size_t pilots = 8;
// Schedules of so few steps are kept from the first look at them until they are predicted.
constexpr std::size_t steps_kept = 1 << 13;

// Windows matter little where segments decide, so they are tried at their standard only.
bool is_fixed(const Strategy& strategy, const Parameter& parameter) {
  return parameter.name == "window" &&
         std::ranges::find(strategy.parameters, "segment", &Parameter::name) != strategy.parameters.end();
}

std::int64_t default_value(const Parameter& parameter, const Case& wanted) {
  if (parameter.kind != ParameterKind::count)
    return parameter.default_value;
  return std::min(parameter.default_value, std::max<std::int64_t>(parameter.min, wanted.ranks));
}

// Where all ranks are on one node, or nodes are not known, two levels are one, of which there are strategies
// enough.
bool has_one_level(const Strategy& strategy, const Case& wanted) {
  return strategy.uses_nodes &&
         std::ranges::adjacent_find(wanted.nodes, std::not_equal_to{}) == wanted.nodes.end();
}

std::vector<std::int64_t> values_of(const Strategy& strategy, const Parameter& parameter, const Case& wanted,
                                    Breadth breadth) {
  if (breadth == Breadth::defaults || is_fixed(strategy, parameter) || has_one_level(strategy, wanted))
    return {default_value(parameter, wanted)};
  return values_to_try(parameter, wanted);
}

// All combinations of the values worth a trial.
std::vector<schedule::Parameters> grid(const Strategy& strategy, const Case& wanted, Breadth breadth) {
  std::vector<schedule::Parameters> points{{}};
  for (const Parameter& parameter : strategy.parameters) {
    const std::vector<std::int64_t> values = values_of(strategy, parameter, wanted, breadth);
    std::vector<schedule::Parameters> next;
    for (const schedule::Parameters& point : points)
      for (const std::int64_t value : values) {
        next.push_back(point);
        next.back().emplace_back(parameter.name, value);
      }
    points = std::move(next);
  }
  return points;
}

/// A candidate with what is known of it before it is predicted.
struct Entry {
  Candidate candidate;
  Problem problem;
  ScheduleSample sample = {}; // while it is short, so that it is built once
  ScheduleHash looks = {};    // of the sample

  const Strategy& strategy() const { return candidate.scheduled.strategy(); }
};

std::vector<Entry> all_that_apply(const Case& wanted, Breadth breadth) {
  std::vector<Entry> entries;
  for (const Strategy& strategy : strategies::of(wanted.call->operation)) {
    if (!strategies::supports(strategy, *wanted.call))
      continue;
    std::shared_ptr<const schedule::PhasesOfEdges> phases; // whatever the parameters are
    for (const schedule::Parameters& point : grid(strategy, wanted, breadth)) {
      Candidate candidate{.scheduled = strategies::Scheduled(strategy, point)};
      Problem problem = problem_of(wanted, candidate.scheduled.parameters());
      problem.phases = phases;
      if (strategies::unsupported_reason(strategy, problem))
        continue;
      problem = strategies::with_phases(strategy, std::move(problem), wanted.node_places);
      phases = problem.phases;
      entries.push_back({std::move(candidate), std::move(problem)});
    }
  }
  return entries;
}

/// Of a strategy that devices run: on which of them, as that changes no schedule.
std::int64_t place_of(const strategies::Scheduled& scheduled) {
  const auto found = std::ranges::find(scheduled.parameters(), strategies::host_tree_where().name,
                                       &schedule::Parameters::value_type::first);
  return found == scheduled.parameters().end() ? 0 : found->second;
}

/// Leaves the first of those whose schedules are the same, where the same runs them.
void drop_same(std::vector<Entry>& entries, const Case& wanted) {
  for_each_index(entries.size(), [&](std::size_t index) {
    Entry& entry = entries[index];
    entry.sample = sample(entry.strategy(), entry.problem, wanted);
    entry.looks = hash(entry.sample.schedules);
    if (entry.sample.steps > steps_kept)
      entry.sample.schedules.clear();
  });
  std::set<std::pair<std::int64_t, ScheduleHash>> known;
  std::erase_if(entries, [&](const Entry& entry) {
    const bool is_elsewhere = entry.strategy().offloads && !has_one_level(entry.strategy(), wanted);
    return !known.emplace(is_elsewhere ? 1 + place_of(entry.candidate.scheduled) : 0, entry.looks).second;
  });
}

/// Predicts the shortest ones whole, and of the others what is not far behind the best of these.
void predict_all(std::vector<Entry>& entries, const Case& wanted, const machine::Machine& machine) {
  constexpr double everything = std::numeric_limits<double>::infinity();
  std::vector<Entry*> order;
  for (Entry& entry : entries)
    order.push_back(&entry);
  std::ranges::stable_sort(order, {}, [](const Entry* one) { return one->sample.steps; });
  const auto quick =
      std::ranges::count_if(order, [](const Entry* one) { return one->sample.steps <= few_steps; });
  const std::size_t whole = std::min(order.size(), std::max(static_cast<std::size_t>(quick), pilots));
  const auto predict_one = [&](Entry& entry, double enough_seconds) {
    if (entry.sample.schedules.empty())
      entry.sample = sample(entry.strategy(), entry.problem, wanted);
    entry.candidate.prediction = predict(entry.strategy(), entry.problem, std::exchange(entry.sample, {}),
                                         wanted, machine, enough_seconds);
  };
  for_each_index(whole, [&](std::size_t index) { predict_one(*order[index], everything); });
  double best = everything;
  for (std::size_t index = 0; index < whole; ++index)
    best = std::min(best, order[index]->candidate.prediction.seconds);
  for_each_index(order.size() - whole,
                 [&](std::size_t index) { predict_one(*order[whole + index], far_behind * best); });
}

} // namespace

std::vector<std::int64_t> values_to_try(const Parameter& parameter, const Case& wanted) {
  if (parameter.name == strategies::order_name)
    return strategies::orders_to_try(wanted.orders.get());
  std::set<std::int64_t> values;
  if (parameter.kind == ParameterKind::choice) {
    for (std::int64_t value = parameter.min; value <= parameter.max; ++value)
      values.insert(value);
  } else if (parameter.kind == ParameterKind::bytes) {
    values.insert(parameter.min);
    for (std::int64_t value = smallest_segment; value < wanted.bytes && value <= largest_segment; value *= 2)
      if (value * max_segments >= wanted.bytes)
        values.insert(value);
  } else {
    for (const std::int64_t value : counts_to_try)
      if (value >= parameter.min && value <= std::min<std::int64_t>(parameter.max, wanted.ranks))
        values.insert(value);
    values.insert(default_value(parameter, wanted));
  }
  return {values.begin(), values.end()};
}

std::vector<Candidate> candidates(const Case& wanted, const machine::Machine& machine, Breadth breadth) {
  std::vector<Entry> entries = all_that_apply(wanted, breadth);
  drop_same(entries, wanted);
  predict_all(entries, wanted, machine);
  std::vector<Candidate> found;
  for (Entry& entry : entries) {
    entry.candidate.text = strategies::to_text(entry.candidate.scheduled);
    found.push_back(std::move(entry.candidate));
  }
  std::ranges::stable_sort(found, {},
                           [](const Candidate& candidate) { return candidate.prediction.seconds; });
  return found;
}

model::Prediction predict(const strategies::Scheduled& scheduled, const Case& wanted,
                          const machine::Machine& machine) {
  const Strategy& strategy = scheduled.strategy();
  Problem problem = problem_of(wanted, scheduled.parameters());
  if (const auto why = strategies::unsupported_reason(strategy, problem))
    throw Error(fmt::format("{} {} cannot do this: {}", wanted.call->name, strategy.name, *why),
                "choose another strategy: thalweg strategies lists them");
  problem = strategies::with_phases(strategy, std::move(problem), wanted.node_places);
  return predict(strategy, problem, sample(strategy, problem, wanted), wanted, machine);
}

namespace {

/// The sides of the virtual mesh that a strategy's blocks travel along, one for direct sending; none where it
/// is no mesh.
std::vector<std::int32_t> sides_of(std::string_view strategy, std::int32_t ranks) {
  if (strategy == "direct" || strategy == "sparse")
    return {ranks};
  const int dimensions = strategy == "mesh2d"      ? 2
                         : strategy == "mesh3d"    ? 3
                         : strategy == "hypercube" ? ceil_log(2, ranks)
                                                   : 0;
  std::vector<std::int32_t> sides;
  for (std::int64_t left = ranks; std::ssize(sides) < dimensions; left = ceil_divide(left, sides.back()))
    sides.push_back(static_cast<std::int32_t>(ceil_root(left, dimensions - static_cast<int>(sides.size()))));
  return sides;
}

/// Where ranks have something for some others only: Kumar's equations by degree.
std::optional<model::ClosedForm> many_to_many(std::string_view strategy, const Case& wanted,
                                              const machine::Machine& machine) {
  const std::vector<std::int32_t> sides = sides_of(strategy, wanted.ranks);
  if (sides.empty())
    return std::nullopt;
  const double degree = std::min<double>(wanted.degree, wanted.ranks - 1);
  const model::Volume each{degree, degree * static_cast<double>(wanted.bytes)};
  const model::MessageTerms terms(machine, level_of(wanted));
  return model::ClosedForm{
      model::many_to_many_seconds(terms, sides,
                                  {.mean = each, .busiest_sender = each, .busiest_receiver = each}),
      "Kumar 2005, equations 3.17 to 3.20"};
}

} // namespace

std::optional<model::ClosedForm> closed_form(const strategies::Scheduled& scheduled, const Case& wanted,
                                             const machine::Machine& machine) {
  if (wanted.degree > 0)
    return many_to_many(scheduled.strategy().name, wanted, machine);
  return model::closed_form(scheduled.strategy().name, problem_of(wanted, scheduled.parameters()), machine,
                            level_of(wanted));
}

} // namespace thalweg::tune

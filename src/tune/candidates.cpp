#include "tune/candidates.hpp"

#include "core/error.hpp"
#include "model/step_costs.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <set>

namespace thalweg::tune {

namespace {

using strategies::Parameter;
using strategies::ParameterKind;
using strategies::Problem;
using strategies::Strategy;

constexpr std::array<std::int64_t, 6> counts_to_try{1, 2, 3, 4, 8, 16};
constexpr std::int64_t smallest_segment = 1024;
constexpr std::int64_t largest_segment = 1 << 20;
constexpr std::int64_t most_segments = 64;
// From here on schedules are compared and predicted on some ranks only.
constexpr std::int32_t many_ranks = 1024;
// Beyond, composed strategies are predicted from one rank, which tells little of trees.
constexpr std::int32_t composed_ranks = 4096;
// Up to so many steps of all ranks together all are walked, and up to so many if one rank cannot stand for
// all.
constexpr std::size_t few_steps = std::size_t{1} << 15;
constexpr std::size_t most_steps = std::size_t{1} << 21;

Problem problem_of(const Case& wanted, const strategies::Selection& selection) {
  Problem problem;
  problem.operation = wanted.call->operation;
  problem.ranks = wanted.ranks;
  problem.unit_bytes = wanted.bytes;
  problem.parameters = selection.parameters;
  if (!wanted.nodes.empty())
    problem.nodes = std::make_shared<const std::vector<std::int32_t>>(wanted.nodes);
  return problem;
}

// Windows matter little where segments decide, so they are tried at their standard only.
bool is_fixed(const Strategy& strategy, const Parameter& parameter) {
  return parameter.name == "window" &&
         std::ranges::find(strategy.parameters, "segment", &Parameter::name) != strategy.parameters.end();
}

// All combinations of the values worth a trial.
std::vector<schedule::Parameters> grid(const Strategy& strategy, const Case& wanted) {
  std::vector<schedule::Parameters> points{{}};
  for (const Parameter& parameter : strategy.parameters) {
    const std::vector<std::int64_t> values = is_fixed(strategy, parameter)
                                                 ? std::vector<std::int64_t>{parameter.standard}
                                                 : values_to_try(parameter, wanted);
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

std::vector<Rank> ranks_to_compare(std::int32_t ranks) {
  if (ranks >= many_ranks)
    return {0, 1, 2, ranks / 2, ranks - 1};
  std::vector<Rank> all(static_cast<std::size_t>(ranks));
  for (Rank rank = 0; rank < ranks; ++rank)
    all[static_cast<std::size_t>(rank)] = rank;
  return all;
}

// What a schedule does, as numbers: equal for equal schedules.
void append_numbers(const schedule::Schedule& schedule, std::vector<std::int32_t>& numbers) {
  const auto add_ranges = [&](std::span<const schedule::BlockRange> ranges) {
    for (const schedule::BlockRange& range : ranges)
      numbers.insert(numbers.end(), {static_cast<std::int32_t>(range.buffer), range.first, range.run,
                                     range.count, range.count == 1 ? 0 : range.stride});
  };
  numbers.insert(numbers.end(), {schedule.pieces, static_cast<std::int32_t>(schedule.steps.size())});
  for (const std::uint32_t stage : schedule.stages)
    numbers.push_back(static_cast<std::int32_t>(stage));
  for (const schedule::Step& step : schedule.steps) {
    numbers.insert(numbers.end(),
                   {static_cast<std::int32_t>(step.kind), static_cast<std::int32_t>(step.side), step.peer});
    add_ranges(schedule.source(step));
    add_ranges(schedule.target(step));
    for (const std::uint32_t predecessor : schedule.predecessors_of(step))
      numbers.push_back(static_cast<std::int32_t>(predecessor));
  }
}

std::vector<std::int32_t> numbers_of(std::span<const schedule::Schedule> schedules) {
  std::vector<std::int32_t> numbers;
  for (const schedule::Schedule& schedule : schedules)
    append_numbers(schedule, numbers);
  return numbers;
}

// Strategies that run others as stages take time in proportion to the ranks to build one rank's schedule.
bool is_composed(const Strategy& strategy) {
  return strategy.uses_nodes || std::ranges::any_of(strategy.parameters, [](const Parameter& parameter) {
           return parameter.kind == ParameterKind::choice;
         });
}

bool are_about_equal(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t uneven_pieces = 64;
  return std::abs(a - b) <= uneven_pieces + a / 16;
}

// Do the schedules differ in names only: the same steps of about the same sizes?
bool are_alike(std::span<const schedule::Schedule> schedules, std::int64_t unit_bytes,
               const model::Setting& setting) {
  const schedule::Schedule& first = schedules.front();
  const model::StepCosts costs(first, unit_bytes, setting);
  return std::ranges::all_of(schedules.subspan(1), [&](const schedule::Schedule& other) {
    if (other.steps.size() != first.steps.size() || other.stages != first.stages)
      return false;
    const model::StepCosts other_costs(other, unit_bytes, setting);
    for (std::size_t s = 0; s < first.steps.size(); ++s)
      if (other.steps[s].kind != first.steps[s].kind ||
          !are_about_equal(other_costs[s].bytes, costs[s].bytes))
        return false;
    return true;
  });
}

// From all ranks' schedules where that is quick or nothing else will do, else from one that stands for all.
model::Prediction predict(const Strategy& strategy, const Problem& problem,
                          std::span<const schedule::Schedule> compared, const Case& wanted,
                          const machine::Machine& machine) {
  const model::Setting setting{machine, wanted.nodes, wanted.sockets, wanted.complexes};
  std::size_t steps = 0;
  for (const schedule::Schedule& one : compared)
    steps += one.steps.size();
  steps = steps * static_cast<std::size_t>(wanted.ranks) / compared.size();
  const bool has_all = compared.size() == static_cast<std::size_t>(wanted.ranks);
  if (has_all && steps <= few_steps)
    return model::predict(compared, wanted.bytes, setting);
  if (are_alike(compared, wanted.bytes, setting))
    return model::predict_symmetric(compared.front(), wanted.bytes, setting);
  if (steps <= most_steps && (has_all || wanted.ranks <= composed_ranks || !is_composed(strategy)))
    return has_all ? model::predict(compared, wanted.bytes, setting)
                   : model::predict(strategies::build_all(strategy, problem), wanted.bytes, setting);
  const auto longest =
      std::ranges::max_element(compared, {}, [](const schedule::Schedule& one) { return one.steps.size(); });
  return model::predict_symmetric(*longest, wanted.bytes, setting);
}

std::vector<schedule::Schedule> schedules_to_compare(const Strategy& strategy, const Problem& problem) {
  std::vector<schedule::Schedule> schedules;
  for (const Rank rank : ranks_to_compare(problem.ranks))
    schedules.push_back(strategies::build(strategy, problem, rank));
  return schedules;
}

} // namespace

std::vector<std::int64_t> values_to_try(const Parameter& parameter, const Case& wanted) {
  std::set<std::int64_t> values;
  if (parameter.kind == ParameterKind::choice) {
    for (std::int64_t value = parameter.least; value <= parameter.most; ++value)
      values.insert(value);
  } else if (parameter.kind == ParameterKind::bytes) {
    values.insert(parameter.least);
    for (std::int64_t value = smallest_segment; value < wanted.bytes && value <= largest_segment; value *= 2)
      if (value * most_segments >= wanted.bytes)
        values.insert(value);
  } else {
    for (const std::int64_t value : counts_to_try)
      if (value >= parameter.least && value <= std::min<std::int64_t>(parameter.most, wanted.ranks))
        values.insert(value);
    values.insert(std::min(parameter.standard, std::max<std::int64_t>(parameter.least, wanted.ranks)));
  }
  return {values.begin(), values.end()};
}

std::vector<Candidate> candidates(const Case& wanted, const machine::Machine& machine) {
  std::vector<Candidate> found;
  std::set<std::vector<std::int32_t>> known;
  for (const Strategy* strategy : strategies::of(wanted.call->operation)) {
    if (!strategies::bears(*strategy, *wanted.call))
      continue;
    for (schedule::Parameters& point : grid(*strategy, wanted)) {
      Candidate candidate;
      candidate.selection = {wanted.call, strategy, std::move(point)};
      const Problem problem = problem_of(wanted, candidate.selection);
      if (strategies::refusal(*strategy, problem))
        continue;
      const std::vector<schedule::Schedule> schedules = schedules_to_compare(*strategy, problem);
      if (!known.insert(numbers_of(schedules)).second)
        continue;
      const std::string text = strategies::to_text(candidate.selection);
      candidate.text = text.substr(text.find('=') + 1);
      candidate.prediction = predict(*strategy, problem, schedules, wanted, machine);
      found.push_back(std::move(candidate));
    }
  }
  std::ranges::stable_sort(found, {},
                           [](const Candidate& candidate) { return candidate.prediction.seconds; });
  return found;
}

model::Prediction predict(const strategies::Selection& selection, const Case& wanted,
                          const machine::Machine& machine) {
  const Problem problem = problem_of(wanted, selection);
  if (const auto why = strategies::refusal(*selection.strategy, problem))
    throw Error(fmt::format("{} {} cannot do this: {}", wanted.call->name, selection.strategy->name, *why),
                "choose another strategy: thalweg strategies lists them");
  const std::vector<schedule::Schedule> schedules = schedules_to_compare(*selection.strategy, problem);
  return predict(*selection.strategy, problem, schedules, wanted, machine);
}

} // namespace thalweg::tune

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/prediction.hpp"

#include "base/arithmetic.hpp"
#include "model/message_terms.hpp"
#include "model/predict.hpp"
#include "model/step_costs.hpp"
#include "schedule/carried_blocks.hpp"
#include "schedule/schedule.hpp"
#include "strategies/degree.hpp"
#include "strategies/host_tree.hpp"
#include "strategies/order.hpp"
#include "topology/node_groups.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <set>
#include <utility>

namespace thalweg::tune {

namespace {

/// As many messages, and as many bytes, of each rank.
double seconds(const model::MessageTerms& terms, std::span<const std::int32_t> sides, double messages,
               double bytes) {
  const model::Volume each{messages, bytes};
  return model::many_to_many_seconds(terms, sides,
                                     {.mean = each, .busiest_sender = each, .busiest_receiver = each});
}

} // namespace

ExchangeShares exchange_shares(const machine::Machine& machine, machine::Level level,
                               const Exchange& exchange) {
  const model::MessageTerms terms(machine, level);
  const double bytes = exchange.degree * exchange.block_bytes;
  const std::array direct{exchange.ranks};
  const auto row = static_cast<std::int32_t>(ceil_root(exchange.ranks, 2));
  const std::array mesh{row, static_cast<std::int32_t>(ceil_divide(exchange.ranks, row))};
  const double all = seconds(terms, direct, exchange.ranks - 1, bytes);
  if (all <= 0)
    return {};
  return {.mesh2d = seconds(terms, mesh, exchange.degree, bytes) / all,
          .sparse = seconds(terms, direct, exchange.degree, bytes) / all};
}

namespace {

using schedule::Schedule;
using strategies::Parameter;
using strategies::ParameterKind;
using strategies::Problem;
using strategies::Strategy;

// Up to so many ranks a sample is all of them.
constexpr std::int32_t few_ranks = 64;
// From here on it is five, as composed strategies take long to build.
constexpr std::int32_t many_ranks = 1024;
constexpr std::int32_t ranks_between = 16;
// Beyond, composed strategies are predicted from one rank, which tells little of trees.
constexpr std::int32_t composed_ranks = 4096;
// Up to so many steps of all ranks together all are simulated if one rank cannot stand for all.
constexpr std::size_t max_steps = std::size_t{1} << 21;

// Strategies that run others as stages take time in proportion to the ranks to build one rank's schedule.
bool is_composed(const Strategy& strategy) {
  return strategy.uses_nodes || std::ranges::any_of(strategy.parameters, [](const Parameter& parameter) {
           return parameter.kind == ParameterKind::choice && parameter.name != strategies::order_name;
         });
}

// In another order than the ranks' own building takes as long.
bool is_renumbered(const Strategy& strategy, const Problem& problem) {
  return strategy.order_matters && strategies::chosen_order(problem) != nullptr;
}

bool are_about_equal(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t uneven_pieces = 64;
  return std::abs(a - b) <= uneven_pieces + a / 16;
}

// Do the schedules differ in names only: the same steps of about the same sizes?
bool are_alike(std::span<const Schedule> schedules, std::int64_t unit_bytes,
               const model::Scenario& scenario) {
  const Schedule& first = schedules.front();
  const model::StepCosts costs(first, unit_bytes, scenario);
  return std::ranges::all_of(schedules.subspan(1), [&](const Schedule& other) {
    if (other.steps.size() != first.steps.size() || other.stages != first.stages)
      return false;
    const model::StepCosts other_costs(other, unit_bytes, scenario);
    for (std::size_t s = 0; s < first.steps.size(); ++s)
      if (other.steps[s].kind != first.steps[s].kind ||
          !are_about_equal(other_costs[s].bytes, costs[s].bytes))
        return false;
    return true;
  });
}

std::size_t count_steps(std::span<const Schedule> schedules) {
  std::size_t steps = 0;
  for (const Schedule& one : schedules)
    steps += one.steps.size();
  return steps;
}

// From one rank's schedule; but where that rank has near peers, another one of the sample may take longer.
model::Prediction predict_from_one(const Schedule& one, std::int64_t unit_bytes,
                                   const model::Scenario& scenario, const model::Prediction& bound) {
  model::Prediction prediction = model::predict_symmetric(one, unit_bytes, scenario);
  prediction.seconds = std::max(prediction.seconds, bound.seconds);
  return prediction;
}

// Then others' messages are in the way of one's own, and one rank stands for itself only.
bool has_known_routes(const model::Scenario& scenario) {
  return !scenario.nodes.empty() &&
         topology::locate(scenario.known_places(), std::ranges::max(scenario.nodes) + 1).network.has_value();
}

void put_in_row(std::vector<Schedule>& schedules, const Case& wanted) {
  if (wanted.calls_in_row > 1)
    for (Schedule& one : schedules)
      one = schedule::in_a_row(one, wanted.calls_in_row);
}

// Both ends, where strategies differ, and others spread evenly between them.
std::set<Rank> ranks_to_look_at(std::int32_t ranks) {
  std::set<Rank> looked_at{0, 1, 2, ranks / 2, ranks - 1};
  for (std::int32_t k = 1; k < ranks_between && ranks < many_ranks; ++k)
    looked_at.insert(ranks * k / ranks_between + k % 3);
  return looked_at;
}

} // namespace

Problem problem_of(const Case& wanted, const schedule::Parameters& parameters) {
  Problem problem;
  problem.operation = wanted.call->operation;
  problem.ranks = wanted.ranks;
  problem.unit_bytes = wanted.bytes;
  problem.parameters = parameters;
  problem.orders = wanted.orders;
  problem.neighborhoods = wanted.neighborhoods;
  if (!wanted.nodes.empty())
    problem.nodes = std::make_shared<const std::vector<std::int32_t>>(wanted.nodes);
  if (auto sockets = topology::sockets_across_nodes(wanted.nodes, wanted.sockets); !sockets.empty())
    problem.sockets = std::make_shared<const std::vector<std::int32_t>>(std::move(sockets));
  if (!wanted.leaves.empty())
    problem.leaves = std::make_shared<const std::vector<std::int32_t>>(wanted.leaves);
  return problem;
}

ScheduleSample sample(const Strategy& strategy, const Problem& problem, const Case& wanted) {
  ScheduleSample found;
  if (problem.ranks <= few_ranks) {
    found.schedules = strategies::build_all(strategy, problem, wanted.degree);
  } else {
    for (const Rank rank : ranks_to_look_at(problem.ranks))
      found.schedules.push_back(strategies::build(strategy, problem, rank, wanted.degree));
  }
  put_in_row(found.schedules, wanted);
  found.steps =
      count_steps(found.schedules) * static_cast<std::size_t>(problem.ranks) / found.schedules.size();
  return found;
}

namespace {

// Of few ranks, where blocks of which some are empty travel together, it is known what each message carries.
std::vector<std::vector<std::int64_t>> message_bytes_of(const Strategy& strategy, const ScheduleSample& known,
                                                        const Case& wanted) {
  if (!strategies::carries_empty_blocks(strategy, wanted.degree) || wanted.calls_in_row > 1 ||
      std::ssize(known.schedules) < wanted.ranks)
    return {};
  return schedule::message_bytes(known.schedules, wanted.degree, wanted.bytes);
}

// With a machine's figures, whoever sends: its ranks, or the cards of its nodes.
model::Prediction predict_on(const Strategy& strategy, const Problem& problem, ScheduleSample known,
                             const Case& wanted, const machine::Machine& machine, double enough_seconds) {
  const auto message_bytes = message_bytes_of(strategy, known, wanted);
  const model::Scenario scenario{machine,      wanted.nodes,       wanted.sockets, wanted.complexes,
                                 wanted.cores, wanted.node_places, message_bytes};
  const std::int64_t bytes = strategies::block_bytes(strategy, problem, wanted.bytes, wanted.degree);
  const model::Prediction bound = model::predict_lower_bound(known.schedules, bytes, scenario);
  if (bound.seconds > enough_seconds)
    return bound;
  const bool has_many_ranks = wanted.ranks >= many_ranks;
  const bool is_long = known.steps > (has_known_routes(scenario) ? max_steps : few_steps);
  if ((is_long || (has_many_ranks && !has_known_routes(scenario))) &&
      are_alike(known.schedules, bytes, scenario))
    return predict_from_one(known.schedules.front(), bytes, scenario, bound);
  // Samples of trees let expect several times the steps that there are; of few ranks it is known.
  const std::size_t worth_building = has_many_ranks ? max_steps : 4 * max_steps;
  if (known.steps <= worth_building &&
      (wanted.ranks <= composed_ranks || !(is_composed(strategy) || is_renumbered(strategy, problem)))) {
    if (known.schedules.size() < static_cast<std::size_t>(wanted.ranks)) {
      known.schedules = strategies::build_all(strategy, problem, wanted.degree);
      put_in_row(known.schedules, wanted);
    }
    if (count_steps(known.schedules) <= max_steps)
      return model::predict(known.schedules, bytes, scenario, enough_seconds);
  }
  const auto longest =
      std::ranges::max_element(known.schedules, {}, [](const Schedule& one) { return one.steps.size(); });
  return predict_from_one(*longest, bytes, scenario, bound);
}

bool runs_on_devices(const Strategy& strategy, const Problem& problem, const Case& wanted,
                     const machine::Machine& machine) {
  return wanted.may_offload && strategy.offloads && machine.device.is_known() &&
         strategies::fits_devices(problem) && problem.nodes &&
         std::ranges::adjacent_find(*problem.nodes, std::not_equal_to{}) != problem.nodes->end();
}

} // namespace

machine::Level level_of(const Case& wanted) {
  const std::vector<std::int32_t>& nodes = wanted.nodes;
  const bool is_one_node =
      !nodes.empty() && std::ranges::adjacent_find(nodes, std::not_equal_to{}) == nodes.end();
  return is_one_node ? machine::Level::node : machine::Level::network;
}

model::Prediction predict(const Strategy& strategy, const Problem& problem, ScheduleSample known,
                          const Case& wanted, const machine::Machine& machine, double enough_seconds) {
  if (!runs_on_devices(strategy, problem, wanted, machine))
    return predict_on(strategy, problem, std::move(known), wanted, machine, enough_seconds);
  const double ends = machine.device.start.value + machine.device.wake.value;
  model::Prediction prediction = predict_on(strategy, problem, std::move(known), wanted,
                                            model::device_machine(machine), enough_seconds - ends);
  prediction.seconds += ends;
  prediction.cpu_seconds = prediction.cpu_max = ends;
  return prediction;
}

} // namespace thalweg::tune

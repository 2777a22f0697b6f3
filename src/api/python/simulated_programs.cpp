// SPDX-License-Identifier: BSD-3-Clause
#include "python/simulated_programs.hpp"

#include "base/error.hpp"
#include "model/message_terms.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"
#include "simulate/goal.hpp"
#include "simulate/schedules.hpp"
#include "simulate/workloads.hpp"

#include <algorithm>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>
#include <string>

namespace thalweg::python {

namespace {

/// Of ranks on these nodes; where none are given, of ranks that fill one node after the other.
simulate::CostBetween machine_between(const machine::Machine& machine, std::int64_t ranks_per_node,
                                      const std::vector<std::int32_t>& nodes) {
  if (ranks_per_node < 0)
    throw Error(std::to_string(ranks_per_node) + " ranks on a node", "choose 0, for all, or more");
  return [&machine, ranks_per_node, &nodes](std::int64_t bytes, std::uint32_t from, std::uint32_t to) {
    const auto node = [&](std::uint32_t rank) -> std::int64_t {
      if (nodes.empty())
        return rank / std::max<std::int64_t>(ranks_per_node, 1);
      if (rank >= nodes.size())
        throw Error("rank " + std::to_string(rank) + " has no place on the network",
                    "choose a larger network, or more ranks on a node");
      return nodes[rank];
    };
    const bool together = (nodes.empty() && ranks_per_node == 0) || node(from) == node(to);
    return simulate::message_cost(machine.at(together ? machine::Level::node : machine::Level::network),
                                  bytes);
  };
}

} // namespace

simulate::CostBetween costs_between(const machine::Machine* machine, std::int64_t ranks_per_node,
                                    std::string_view loggops, const std::vector<std::int32_t>& nodes) {
  if (machine != nullptr)
    return machine_between(*machine, ranks_per_node, nodes);
  return [parameters = simulate::parse_loggops(loggops)](std::int64_t bytes, std::uint32_t, std::uint32_t) {
    return parameters.cost(bytes);
  };
}

namespace {

using simulate::LogGops;
using simulate::StrategyProgram;

void bind_known_programs(nb::module_& module) {
  module.def(
      "strategy_program",
      [](const strategies::Sample& sample, std::int64_t unit_bytes, const machine::Machine* machine,
         std::string_view loggops, bool may_fold) {
        const std::uint64_t folds_from = may_fold ? simulate::folding_begins : ~std::uint64_t{0};
        StrategyProgram found =
            machine != nullptr ? simulate::program_of(sample, unit_bytes, *machine, folds_from)
                               : simulate::program_of(sample, schedule::GoalSizes{.unit_bytes = unit_bytes},
                                                      simulate::parse_loggops(loggops), folds_from);
        return SimulatedProgram{std::move(found.program), found.looked_at};
      },
      nb::arg("sample"), nb::arg("unit_bytes"), nb::arg("machine").none(), nb::arg("loggops"),
      nb::arg("may_fold") = true, nb::call_guard<nb::gil_scoped_release>(),
      "A strategy's program; without a machine of LogGOPS' costs.");
  module.def(
      "goal_program",
      [](const nb::bytes& data, const std::string& name, const machine::Machine* machine,
         std::int64_t ranks_per_node, std::string_view loggops, const std::vector<std::int32_t>& nodes) {
        const std::string_view view(data.c_str(), data.size());
        const nb::gil_scoped_release released;
        return SimulatedProgram{
            simulate::read_goal(view, name, costs_between(machine, ranks_per_node, loggops, nodes))};
      },
      nb::arg("data"), nb::arg("name"), nb::arg("machine").none(), nb::arg("ranks_per_node"),
      nb::arg("loggops"), nb::arg("nodes") = std::vector<std::int32_t>(),
      "A program in GOAL, text or binary.");
  module.def(
      "sample_program",
      [](std::string_view name, std::int64_t ranks, std::int64_t bytes, std::string_view loggops) {
        const LogGops parameters = simulate::parse_loggops(loggops);
        return SimulatedProgram{simulate::sample_program(
            name, ranks, bytes, [&](std::int64_t size) { return parameters.cost(size); })};
      },
      nb::arg("name"), nb::arg("ranks"), nb::arg("bytes"), nb::arg("loggops"),
      nb::call_guard<nb::gil_scoped_release>(), "A program of LogGOPSim's generator.");
}

void bind_exchanges(nb::module_& module) {
  module.def(
      "exchange_program",
      [](std::int64_t ranks, const RowArgument<std::int32_t>& from, const RowArgument<std::int32_t>& to,
         const RowArgument<std::int64_t>& bytes, const RowArgument<std::uint32_t>& rounds,
         const machine::Machine* machine, std::int64_t ranks_per_node, std::string_view loggops,
         const std::vector<std::int32_t>& nodes) {
        if (from.size() != to.size() || from.size() != bytes.size() || from.size() != rounds.size())
          throw Error("messages whose columns differ in length", "give all columns for each message");
        std::vector<simulate::RoundMessage> messages(from.size());
        for (std::size_t i = 0; i < messages.size(); ++i)
          messages[i] = {from.data()[i], to.data()[i], bytes.data()[i], rounds.data()[i]};
        const nb::gil_scoped_release released;
        return SimulatedProgram{simulate::exchange_program(
            ranks, messages, costs_between(machine, ranks_per_node, loggops, nodes))};
      },
      nb::arg("ranks"), nb::arg("senders"), nb::arg("receivers"), nb::arg("bytes"), nb::arg("rounds"),
      nb::arg("machine").none(), nb::arg("ranks_per_node"), nb::arg("loggops"), nb::arg("nodes"),
      "Messages in rounds: a rank's next begins when its messages of one have been sent and have come.");
}

void bind_streams(nb::module_& module) {
  module.def(
      "item_nanoseconds", [](double bytes) { return 1e9 * model::item_hop_seconds(bytes); }, nb::arg("bytes"),
      "A processor's time for a hop of a stream's item.");
  module.def(
      "stream_program",
      [](std::int64_t ranks, const std::vector<std::int32_t>& sides, std::int64_t items,
         std::int64_t item_bytes, std::int64_t buffer_bytes, double item_nanoseconds,
         const machine::Machine* machine, std::int64_t ranks_per_node, std::string_view loggops,
         const std::vector<std::int32_t>& nodes) {
        const nb::gil_scoped_release released;
        return SimulatedProgram{
            simulate::stream_program(ranks,
                                     {.sides = sides,
                                      .items = items,
                                      .item_bytes = item_bytes,
                                      .buffer_bytes = buffer_bytes,
                                      .item_nanoseconds = item_nanoseconds},
                                     costs_between(machine, ranks_per_node, loggops, nodes))};
      },
      nb::arg("ranks"), nb::arg("sides"), nb::arg("items"), nb::arg("item_bytes"), nb::arg("buffer_bytes"),
      nb::arg("item_nanoseconds"), nb::arg("machine").none(), nb::arg("ranks_per_node"), nb::arg("loggops"),
      nb::arg("nodes"), "A stream of items over a virtual mesh.");
}

} // namespace

void bind_simulated_programs(nb::module_& module) {
  bind_known_programs(module);
  bind_exchanges(module);
  bind_streams(module);
}

} // namespace thalweg::python

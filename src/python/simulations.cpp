#include "python/bindings.hpp"

#include "core/error.hpp"
#include "python/arrays.hpp"
#include "simulate/critical_path.hpp"
#include "simulate/goal_reader.hpp"
#include "simulate/patterns.hpp"
#include "simulate/schedules.hpp"
#include "simulate/simulation.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <tuple>

namespace thalweg::python {

namespace {

using simulate::CostKind;
using simulate::LogGops;
using simulate::Program;
using simulate::Segment;
using simulate::Simulation;
using simulate::SimulationOptions;
using simulate::StrategyProgram;

/// A program with what Python wants to know of how it came about.
struct SimulatedProgram {
  Program program;
  std::uint32_t looked_at = 0;
};

template <typename Number, typename Part>
Row<Number> part_of(const std::vector<Segment>& segments, Part part) {
  std::vector<Number> numbers;
  numbers.reserve(segments.size());
  for (const Segment& segment : segments)
    numbers.push_back(static_cast<Number>(part(segment)));
  return row_of(std::move(numbers));
}

/// Ranks, kinds, begins and ends.
using Columns = std::tuple<Row<std::int64_t>, Row<std::uint8_t>, Row<std::int64_t>, Row<std::int64_t>>;

Columns columns(const std::vector<Segment>& segments) {
  return {part_of<std::int64_t>(segments, [](const Segment& one) { return one.rank; }),
          part_of<std::uint8_t>(segments, [](const Segment& one) { return one.kind; }),
          part_of<std::int64_t>(segments, [](const Segment& one) { return one.begin; }),
          part_of<std::int64_t>(segments, [](const Segment& one) { return one.end; })};
}

/// Lets the caller's function say that it goes on, and hears of interrupts.
void report(const nb::object& progress, std::uint64_t events) {
  const nb::gil_scoped_acquire held;
  if (PyErr_CheckSignals() != 0)
    throw nb::python_error();
  if (!progress.is_none())
    progress(events);
}

void bind_simulation(nb::module_& module) {
  nb::class_<Simulation>(module, "Simulation", "What a simulation says; times in nanoseconds.")
      .def_prop_ro("finish", [](const Simulation& self) { return self.result.finish; })
      .def_prop_ro("last_rank", [](const Simulation& self) { return self.result.last_rank; })
      .def_prop_ro(
          "ends", [](const Simulation& self) { return row_of(self.result.ends); }, nb::rv_policy::move)
      .def_prop_ro(
          "busy", [](const Simulation& self) { return row_of(self.result.busy); }, nb::rv_policy::move)
      .def_prop_ro("operations", [](const Simulation& self) { return self.result.operations; })
      .def_prop_ro("messages", [](const Simulation& self) { return self.result.messages; })
      .def_prop_ro("events", [](const Simulation& self) { return self.result.events; })
      .def_prop_ro("fingerprint", [](const Simulation& self) { return simulate::fingerprint(self.result); })
      .def(
          "path", [](const Simulation& self) { return columns(self.result.path); },
          "The critical path: ranks, kinds, begins and ends.")
      .def(
          "path_by_kind", [](const Simulation& self) { return simulate::by_kind(self.result.path); },
          "How long each kind of cost is on the critical path.")
      .def(
          "timeline", [](const Simulation& self) { return columns(self.timeline); },
          "What all processors did when: ranks, kinds, begins and ends.");
  module.def("cost_kinds", [] {
    std::vector<std::string> names;
    for (std::size_t kind = 0; kind < simulate::cost_kinds; ++kind)
      names.emplace_back(name(static_cast<CostKind>(kind)));
    return names;
  });
}

simulate::Ties parse_ties(std::string_view text) {
  if (text == "order")
    return simulate::Ties::in_order;
  if (text == "loggopsim")
    return simulate::Ties::as_loggopsim;
  throw Error("ties " + std::string(text), "choose order or loggopsim");
}

/// Of ranks that fill one node after the other.
simulate::CostBetween between(const machine::Machine& machine, std::int64_t ranks_per_node) {
  if (ranks_per_node < 0)
    throw Error(std::to_string(ranks_per_node) + " ranks on a node", "choose 0, for all, or more");
  return [&machine, ranks_per_node](std::int64_t bytes, std::uint32_t from, std::uint32_t to) {
    const bool together = ranks_per_node == 0 || from / ranks_per_node == to / ranks_per_node;
    return simulate::message_cost(machine.at(together ? machine::Level::node : machine::Level::network),
                                  bytes);
  };
}

void bind_programs(nb::module_& module) {
  nb::class_<SimulatedProgram>(module, "SimulatedProgram",
                               "What ranks send, receive and compute, with costs.")
      .def_prop_ro("ranks",
                   [](const SimulatedProgram& self) {
                     return self.program.folded == 0 ? self.program.size() : self.program.folded;
                   })
      .def_prop_ro("operations", [](const SimulatedProgram& self) { return self.program.operation_count; })
      .def_prop_ro("patterns", [](const SimulatedProgram& self) { return self.program.patterns.size(); })
      .def_ro("looked_at", &SimulatedProgram::looked_at,
              "How many ranks were found alike, where one stands for all; else 0.")
      .def(
          "run",
          [](const SimulatedProgram& self, std::string_view ties, std::uint64_t explained_max,
             bool has_timeline, const nb::object& progress) {
            const SimulationOptions options{parse_ties(ties), explained_max, has_timeline,
                                            [&](std::uint64_t events) { report(progress, events); }};
            const nb::gil_scoped_release released;
            return simulate::simulate(self.program, options);
          },
          nb::arg("ties"), nb::arg("explained_max"), nb::arg("has_timeline"), nb::arg("progress").none());
  module.def(
      "strategy_program",
      [](const strategies::Sample& sample, std::int64_t unit_bytes, const machine::Machine* machine,
         std::string_view loggops) {
        StrategyProgram found =
            machine != nullptr ? simulate::program_of(sample, unit_bytes, *machine)
                               : simulate::program_of(sample, schedule::GoalSizes{.unit_bytes = unit_bytes},
                                                      simulate::parse_loggops(loggops));
        return SimulatedProgram{std::move(found.program), found.looked_at};
      },
      nb::arg("sample"), nb::arg("unit_bytes"), nb::arg("machine").none(), nb::arg("loggops"),
      nb::call_guard<nb::gil_scoped_release>(), "A strategy's program; without a machine of LogGOPS' costs.");
  module.def(
      "goal_program",
      [](const nb::bytes& data, const std::string& name, const machine::Machine* machine,
         std::int64_t ranks_per_node, std::string_view loggops) {
        const std::string_view view(data.c_str(), data.size());
        const nb::gil_scoped_release released;
        if (machine != nullptr)
          return SimulatedProgram{simulate::read_goal(view, name, between(*machine, ranks_per_node))};
        const LogGops parameters = simulate::parse_loggops(loggops);
        return SimulatedProgram{
            simulate::read_goal(view, name, [&](std::int64_t bytes, std::uint32_t, std::uint32_t) {
              return parameters.cost(bytes);
            })};
      },
      nb::arg("data"), nb::arg("name"), nb::arg("machine").none(), nb::arg("ranks_per_node"),
      nb::arg("loggops"), "A program in GOAL, text or binary.");
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

} // namespace

void bind_simulations(nb::module_& module) {
  bind_simulation(module);
  bind_programs(module);
}

} // namespace thalweg::python

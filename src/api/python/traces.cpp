// SPDX-License-Identifier: BSD-3-Clause
#include "python/bindings.hpp"
#include "python/message_costs.hpp"
#include "python/simulated_program.hpp"

#include "pattern/call_trace.hpp"
#include "simulate/goal_writer.hpp"
#include "simulate/replay.hpp"

#include <memory>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

namespace thalweg::python {

namespace {

using pattern::CallTrace;

std::uint64_t calls_of(const CallTrace& trace) {
  std::uint64_t calls = 0;
  for (const pattern::TracedRank& rank : trace.ranks)
    for (const pattern::TracedThread& thread : rank.threads)
      calls += pattern::calls_of(thread.items);
  return calls;
}

/// Of each rank, all threads together.
std::vector<double> computed_seconds(const CallTrace& trace) {
  std::vector<double> seconds;
  for (const pattern::TracedRank& rank : trace.ranks) {
    double& sum = seconds.emplace_back(0);
    for (const pattern::TracedThread& thread : rank.threads)
      sum += 1e-9 * pattern::computed_in(thread.items);
  }
  return seconds;
}

} // namespace

void bind_traces(nb::module_& module) {
  nb::class_<CallTrace>(module, "CallTrace", "What a run of a program called, rank by rank and in order.")
      .def_prop_ro("ranks", [](const CallTrace& self) { return self.ranks.size(); })
      .def_ro("seconds", &CallTrace::seconds, "That the run took.")
      .def_ro("command", &CallTrace::command)
      .def_ro("is_cpu_time", &CallTrace::is_cpu_time, "Is computation the processor's time, or the clock's?")
      .def_prop_ro("calls", &calls_of)
      .def_prop_ro("computed", &computed_seconds, "How many seconds each rank computed between its calls.")
      .def("to_text", [](const CallTrace& self) { return pattern::to_text(self); });
  module.def("load_call_trace", &pattern::load_call_trace, nb::arg("file"),
             nb::call_guard<nb::gil_scoped_release>());
  module.def(
      "replay_program",
      [](const CallTrace& trace, const std::string& selections, double computation_scale,
         const machine::Machine* machine, std::int64_t ranks_per_node, std::string_view loggops,
         std::vector<std::int32_t> nodes) {
        const nb::gil_scoped_release released;
        if (nodes.empty() && ranks_per_node > 0)
          for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank)
            nodes.push_back(static_cast<std::int32_t>(static_cast<std::int64_t>(rank) / ranks_per_node));
        simulate::Replay found =
            simulate::replay(trace, {.machine = machine,
                                     .loggops = simulate::parse_loggops(loggops),
                                     .cost = costs_between(machine, ranks_per_node, loggops, nodes),
                                     .nodes = nodes,
                                     .selections = strategies::parse_selections(selections),
                                     .computation_scale = computation_scale});
        return std::pair(SimulatedProgram{std::move(found.program)}, std::move(found.remarks));
      },
      nb::arg("trace"), nb::arg("selections"), nb::arg("computation_scale"), nb::arg("machine").none(),
      nb::arg("ranks_per_node"), nb::arg("loggops"), nb::arg("nodes"),
      "The program of a trace, and remarks on what is not as it was asked for.");
  module.def(
      "write_goal", [](const SimulatedProgram& program) { return simulate::write_goal(program.program); },
      nb::arg("program"), nb::call_guard<nb::gil_scoped_release>(), "A program as a GOAL text.");
}

} // namespace thalweg::python

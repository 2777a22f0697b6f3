// SPDX-License-Identifier: BSD-3-Clause
#include "pattern/call_trace.hpp"
#include "pattern/recording.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"
#include "python/simulated_programs.hpp"
#include "simulate/goal.hpp"
#include "simulate/replay.hpp"

#include <map>
#include <memory>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <tuple>

namespace thalweg::python {

namespace {

using pattern::RecordedPhase;
using pattern::Recording;
using pattern::Sent;

/// Senders, receivers, bytes and messages.
using SentColumns = std::tuple<Row<std::int32_t>, Row<std::int32_t>, Row<std::int64_t>, Row<std::int64_t>>;
/// Phase, how often it began, what the site is, and what it sent.
using SiteOfPhase = std::tuple<std::string, std::uint64_t, std::string, SentColumns>;

template <typename Number, typename Part>
Row<Number> sent_part(const std::vector<Sent>& sent, Part part) {
  std::vector<Number> numbers;
  for (const Sent& one : sent)
    numbers.push_back(static_cast<Number>(one.*part));
  return row_of(std::move(numbers));
}

std::vector<SiteOfPhase> sites_of(const Recording& recording) {
  std::vector<SiteOfPhase> found;
  for (const RecordedPhase& phase : recording.phases) {
    std::map<std::uint32_t, std::vector<Sent>> by_site;
    for (const Sent& one : phase.sent)
      if (one.from != one.to)
        by_site[one.site].push_back(one);
    for (const auto& [number, sent] : by_site) {
      const pattern::Site& site = recording.sites[number];
      found.emplace_back(phase.name, phase.repeats, site.by + " " + site.function + " " + site.source,
                         SentColumns{sent_part<std::int32_t>(sent, &Sent::from),
                                     sent_part<std::int32_t>(sent, &Sent::to),
                                     sent_part<std::int64_t>(sent, &Sent::bytes),
                                     sent_part<std::int64_t>(sent, &Sent::messages)});
    }
  }
  return found;
}

} // namespace

void bind_recordings(nb::module_& module) {
  nb::class_<Recording>(module, "Recording", "What a run of a program sent.")
      .def_ro("ranks", &Recording::ranks)
      .def_ro("seconds", &Recording::seconds, "That the run took; 0: not known.")
      .def_ro("command", &Recording::command)
      .def("sites", &sites_of,
           "Each phase's call sites: phase, how often it began, name, and senders, receivers, bytes, "
           "messages.");
  module.def("load_recording", &pattern::load_recording, nb::arg("file"));
}

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

// SPDX-License-Identifier: BSD-3-Clause
#include "balance/chooser.hpp"
#include "balance/flow.hpp"
#include "base/units.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"
#include "python/interconnects.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>
#include <optional>

NB_MAKE_OPAQUE(thalweg::balancing::Flow)

namespace thalweg::python {

namespace {

using balancing::Candidate;
using balancing::Costs;
using balancing::Flow;
using balancing::Metrics;
using balancing::Problem;
using balancing::SchemeEntry;
using balancing::Tasks;
using balancing::Transfer;
using topology::Place;

template <typename Number, typename Part>
Row<Number> column(const Flow& flow, Part part) {
  std::vector<Number> numbers;
  numbers.reserve(flow.size());
  for (const Transfer& transfer : flow)
    numbers.push_back(transfer.*part);
  return row_of(std::move(numbers));
}

void bind_flows(nb::module_& module) {
  nb::class_<Metrics>(module, "FlowMetrics",
                      "A flow's figures; those that end in _max are the maximum over ranks.")
      .def_ro("receives_max", &Metrics::receives_max)
      .def_ro("tasks_received_max", &Metrics::tasks_received_max)
      .def_ro("sends_max", &Metrics::sends_max)
      .def_ro("tasks_sent_max", &Metrics::tasks_sent_max)
      .def_ro("messages", &Metrics::messages)
      .def_ro("tasks", &Metrics::tasks);
  nb::class_<Flow>(module, "Flow", "Messages with tasks, in rows of one length.")
      .def_prop_ro(
          "senders", [](const Flow& self) { return column<Rank>(self, &Transfer::from); },
          nb::rv_policy::move)
      .def_prop_ro(
          "receivers", [](const Flow& self) { return column<Rank>(self, &Transfer::to); },
          nb::rv_policy::move)
      .def_prop_ro(
          "tasks", [](const Flow& self) { return column<Tasks>(self, &Transfer::tasks); },
          nb::rv_policy::move)
      .def("__len__", &Flow::size);
}

void bind_candidates(nb::module_& module) {
  nb::class_<SchemeEntry>(module, "Scheme", "A way of balancing loads.")
      .def_ro("name", &SchemeEntry::name)
      .def_ro("summary", &SchemeEntry::summary)
      .def_ro("wins_when", &SchemeEntry::wins_when);
  module.def("schemes", [] {
    const auto all = balancing::schemes();
    return std::vector<SchemeEntry>(all.begin(), all.end());
  });
  nb::class_<Candidate>(module, "BalanceCandidate", "A scheme's flow, and what it is predicted to take.")
      .def_prop_ro("scheme", [](const Candidate& self) { return balancing::name(self.scheme); })
      .def_ro("flow", &Candidate::flow)
      .def_ro("figures", &Candidate::figures)
      .def_ro("hop_tasks", &Candidate::hop_tasks)
      .def_ro("exchange_seconds", &Candidate::exchange_seconds)
      .def_ro("work_seconds", &Candidate::work_seconds);
}

void bind_costs(nb::module_& module) {
  nb::class_<Costs>(module, "BalanceCosts", "What the choice of a scheme depends on beside the loads.")
      .def(
          "__init__",
          [](Costs* self, const machine::Machine& machine, std::int64_t task_bytes, double task_seconds,
             double steps, std::int64_t links, double hysteresis) {
            new (self) Costs{
                machine.at(machine::Level::network), task_bytes, task_seconds, steps, links, hysteresis};
          },
          nb::arg("machine"), nb::arg("task_bytes"), nb::arg("task_seconds"), nb::arg("steps"),
          nb::arg("links"), nb::arg("hysteresis"));
}

/// Where ranks are, as far as it is known.
using Places = std::optional<std::pair<const InterconnectHandle*, RowArgument<Place>>>;

balancing::Hops hops_of(const Places& places) {
  if (!places)
    return {};
  return [machine = places->first->held.get(), where = places->second.data()](Rank a, Rank b) {
    return machine->hops(where[a], where[b]);
  };
}

Problem make_problem(const RowArgument<Tasks>& loads, const RowArgument<Rank>& order,
                     const RowArgument<Tasks>& speeds, std::string_view spread) {
  return balancing::checked(
      {vector_of(loads), vector_of(order), vector_of(speeds), balancing::parse_spread(spread)});
}

void bind_problem(nb::module_& module) {
  nb::class_<Problem>(module, "BalanceProblem",
                      "Ranks with tasks. An empty order or speeds stand for the usual ones.")
      .def(
          "__init__",
          [](Problem* self, const RowArgument<Tasks>& loads, const RowArgument<Rank>& order,
             const RowArgument<Tasks>& speeds,
             std::string_view spread) { new (self) Problem(make_problem(loads, order, speeds, spread)); },
          nb::arg("loads"), nb::arg("order"), nb::arg("speeds"), nb::arg("spread"))
      .def(
          "is_able",
          [](const Problem& self, std::string_view scheme) {
            return balancing::is_able(balancing::parse_scheme(scheme), self);
          },
          nb::arg("scheme"))
      .def(
          "flow",
          [](const Problem& self, std::string_view scheme) {
            return balancing::flow_of(balancing::parse_scheme(scheme), self);
          },
          nb::arg("scheme"), "The scheme's flow; it has to be able.")
      .def(
          "candidate",
          [](const Problem& self, std::string_view scheme, const Costs& costs, const Places& places) {
            return balancing::candidate_of(balancing::parse_scheme(scheme), self, costs, hops_of(places));
          },
          nb::arg("scheme"), nb::arg("costs"), nb::arg("places").none(), "The same with its predictions.")
      .def(
          "choose",
          [](const Problem& self, const Costs& costs, const Places& places, std::string_view incumbent) {
            std::vector<Candidate> found = balancing::candidates(self, costs, hops_of(places));
            const std::size_t index =
                balancing::chosen(found, balancing::parse_scheme(incumbent), costs.hysteresis);
            return std::pair(std::move(found), index);
          },
          nb::arg("costs"), nb::arg("places").none(), nb::arg("incumbent"),
          "All schemes that are able, and the index of the one to run.");
  module.def("parse_seconds", &parse_seconds, nb::arg("text"), "Reads 1.5us, 80ns or 2s.");
  module.def(
      "task_cuts",
      [](const RowArgument<Tasks>& weights, const RowArgument<Tasks>& amounts) {
        return row_of(balancing::task_cuts(span_of(weights), span_of(amounts)));
      },
      nb::arg("weights"), nb::arg("amounts"));
}

} // namespace

void bind_balance(nb::module_& module) {
  bind_flows(module);
  bind_candidates(module);
  bind_costs(module);
  bind_problem(module);
}

} // namespace thalweg::python

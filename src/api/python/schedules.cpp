// SPDX-License-Identifier: BSD-3-Clause
#include "python/bindings.hpp"
#include "schedule/goal.hpp"
#include "schedule/printer.hpp"
#include "schedule/verifier.hpp"
#include "strategies/prover.hpp"
#include "strategies/sample.hpp"
#include "strategies/selection.hpp"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

namespace thalweg::python {

namespace {

using strategies::Parameter;
using strategies::ParameterKind;
using strategies::Strategy;

std::string_view kind_name(const Parameter& parameter) {
  switch (parameter.kind) {
  case ParameterKind::count:
    return "count";
  case ParameterKind::bytes:
    return "bytes";
  case ParameterKind::choice:
    return "choice";
  }
  return "";
}

void bind_parameter(nb::module_& module) {
  nb::class_<Parameter>(module, "Parameter", "A parameter of a strategy; bytes and counts are plain numbers.")
      .def_ro("name", &Parameter::name)
      .def_prop_ro("kind", &kind_name)
      .def_ro("default", &Parameter::default_value)
      .def_ro("min", &Parameter::min)
      .def_ro("max", &Parameter::max)
      .def_ro("description", &Parameter::description)
      .def_ro("choices", &Parameter::choices);
}

void bind_strategy(nb::module_& module) {
  nb::class_<Strategy>(module, "Strategy", "An entry of the index.")
      .def_ro("name", &Strategy::name)
      .def_prop_ro("operation", [](const Strategy& strategy) { return schedule::name(strategy.operation); })
      .def_ro("summary", &Strategy::summary)
      .def_ro("wins_when", &Strategy::wins_when)
      .def_ro("source", &Strategy::source)
      .def_ro("parameters", &Strategy::parameters)
      .def_ro("keeps_rank_order", &Strategy::keeps_rank_order)
      .def_ro("unequal_blocks", &Strategy::unequal_blocks)
      .def_ro("in_place", &Strategy::in_place)
      .def_ro("uses_nodes", &Strategy::uses_nodes)
      .def_ro("offloads", &Strategy::offloads);
}

} // namespace

void bind_index(nb::module_& module) {
  bind_parameter(module);
  bind_strategy(module);
  module.def("operations", [] {
    std::vector<std::string_view> names;
    for (const schedule::Operation operation : schedule::all_operations())
      names.push_back(schedule::name(operation));
    return names;
  });
  module.def(
      "strategies",
      [] {
        std::vector<const Strategy*> entries;
        for (const Strategy& strategy : strategies::all())
          entries.push_back(&strategy);
        return entries;
      },
      nb::rv_policy::reference);
  module.def(
      "calls",
      [] {
        std::vector<std::string_view> names;
        for (const strategies::Call& call : strategies::calls())
          names.push_back(call.name);
        return names;
      },
      "What a strategy can be selected for: MPI's calls.");
  module.def("value_text", &strategies::value_text, nb::arg("parameter"), nb::arg("value"));
  module.def(
      "check_selection", [](std::string_view text) { strategies::parse_selection(text); },
      nb::arg("selection"), "Raises Error if the selection is not understood or out of range.");
}

using schedule::Verdict;
using strategies::Sample;

void bind_schedules(nb::module_& module) {
  nb::class_<Verdict>(module, "Verdict", "What the verifier found.")
      .def_ro("faults", &Verdict::faults)
      .def_ro("in_rank_order", &Verdict::in_rank_order)
      .def_ro("same_on_all_ranks", &Verdict::same_on_all_ranks)
      .def_ro("exact_shapes", &Verdict::exact_shapes)
      .def_ro("messages", &Verdict::messages)
      .def_ro("blocks_moved", &Verdict::blocks_moved);

  nb::class_<Sample>(module, "Sample", "A strategy applied to a problem.")
      .def(
          "__init__",
          [](Sample* self, std::string_view selection, std::int32_t ranks, std::int32_t root,
             std::int32_t ranks_per_node, std::int64_t unit_bytes, topology::NodePlaces node_places,
             std::vector<std::int32_t> nodes, std::optional<std::vector<std::int32_t>> leaves,
             double degree) {
            new (self) Sample(strategies::make_sample(selection, {ranks, root, ranks_per_node, unit_bytes,
                                                                  std::move(node_places), std::move(nodes),
                                                                  std::move(leaves), degree}));
          },
          nb::arg("selection"), nb::arg("ranks"), nb::arg("root") = 0, nb::arg("ranks_per_node") = 0,
          nb::arg("unit_bytes") = 0, nb::arg("node_places") = topology::NodePlaces{},
          nb::arg("nodes") = std::vector<std::int32_t>(), nb::arg("leaves") = nb::none(),
          nb::arg("degree") = 0.0)
      .def_prop_ro(
          "strategy", [](const Sample& self) { return self.strategy; }, nb::rv_policy::reference)
      .def("describe", [](const Sample& self) { return strategies::describe(*self.strategy, self.problem); })
      .def(
          "print",
          [](const Sample& self, std::int32_t rank) {
            return schedule::print(strategies::build(self, rank));
          },
          nb::arg("rank"), "A rank's schedule as text.")
      .def(
          "draw", [](const Sample& self) { return schedule::draw(strategies::build_all(self)); },
          "All ranks' schedules in Graphviz's language.")
      .def(
          "goal",
          [](const Sample& self, std::int64_t unit_bytes) {
            return strategies::export_goal(self, unit_bytes);
          },
          nb::arg("unit_bytes"), "All ranks' schedules in GOAL.")
      .def(
          "verify",
          [](const Sample& self) { return schedule::verify(self.problem, strategies::build_all(self)); },
          nb::call_guard<nb::gil_scoped_release>());
}

namespace {

/// Proves one strategy for one number of ranks; the number of problems proven or refuted and the faults.
std::pair<std::size_t, std::vector<std::string>> prove(const strategies::Strategy& strategy,
                                                       std::int32_t ranks, bool all_roots) {
  const auto roots = all_roots ? strategies::Roots::all : strategies::Roots::sample;
  const auto problems = strategies::obligations(strategy, ranks, roots);
  std::vector<std::string> faults;
  for (const strategies::Problem& problem : problems)
    for (std::string& fault : strategies::prove(strategy, problem))
      faults.push_back(std::move(fault));
  return {problems.size(), std::move(faults)};
}

} // namespace

void bind_proofs(nb::module_& module) {
  module.def("prove", &prove, nb::arg("strategy"), nb::arg("ranks"), nb::arg("all_roots"),
             nb::call_guard<nb::gil_scoped_release>(),
             "Proves a strategy for a number of ranks: how many problems, and what is wrong with it.");
}

} // namespace thalweg::python

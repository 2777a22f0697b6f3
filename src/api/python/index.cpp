// SPDX-License-Identifier: BSD-3-Clause
#include "python/bindings.hpp"

#include "strategies/selection.hpp"

#include <fmt/format.h>
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

} // namespace thalweg::python

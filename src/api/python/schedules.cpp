// SPDX-License-Identifier: BSD-3-Clause
#include "python/bindings.hpp"

#include "schedule/dot.hpp"
#include "schedule/goal.hpp"
#include "schedule/printer.hpp"
#include "schedule/verifier.hpp"
#include "strategies/prover.hpp"
#include "strategies/sample.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

namespace thalweg::python {

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
             std::vector<std::int32_t> nodes, std::optional<std::vector<std::int32_t>> leaves) {
            new (self) Sample(strategies::make_sample(selection, {ranks, root, ranks_per_node, unit_bytes,
                                                                  std::move(node_places), std::move(nodes),
                                                                  std::move(leaves)}));
          },
          nb::arg("selection"), nb::arg("ranks"), nb::arg("root") = 0, nb::arg("ranks_per_node") = 0,
          nb::arg("unit_bytes") = 0, nb::arg("node_places") = topology::NodePlaces{},
          nb::arg("nodes") = std::vector<std::int32_t>(), nb::arg("leaves") = nb::none())
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
            return schedule::export_goal(strategies::build_all(self), {.unit_bytes = unit_bytes});
          },
          nb::arg("unit_bytes"), "All ranks' schedules in GOAL.")
      .def(
          "verify",
          [](const Sample& self) { return schedule::verify(self.problem, strategies::build_all(self)); },
          nb::call_guard<nb::gil_scoped_release>());
}

} // namespace thalweg::python

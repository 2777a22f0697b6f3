// SPDX-License-Identifier: BSD-3-Clause
#include "python/bindings.hpp"

#include "python/arrays.hpp"
#include "topology/grid.hpp"
#include "topology/tour.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

namespace thalweg::python {

void bind_grids(nb::module_& module) {
  using topology::Grid;
  using topology::Place;
  nb::class_<Grid>(module, "Grid", "A mesh or torus; a place's number has coordinate 0 vary fastest.")
      .def(
          "__init__", [](Grid* self, std::string_view name) { new (self) Grid(topology::parse_grid(name)); },
          nb::arg("name"))
      .def_prop_ro("name", &Grid::name)
      .def_prop_ro("extents", &Grid::extents)
      .def_prop_ro("wraps", &Grid::wraps)
      .def_prop_ro("places", &Grid::places)
      .def_prop_ro("diameter", &Grid::diameter)
      .def("hops", &Grid::hops, nb::arg("a"), nb::arg("b"));
  module.def(
      "tour",
      [](const Grid& grid, const RowArgument<Place>& places) {
        return row_of(topology::tour(grid, span_of(places)));
      },
      nb::arg("grid"), nb::arg("places"),
      "An order of places in which neighbors are near, by Hilbert curves; as indices.");
}

} // namespace thalweg::python

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What each file of this room adds to the module thalweg._core; its Python half is thalweg/strategies.py.

#include "schedule/problem.hpp"

#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace thalweg::python {

/// Of properties that are lists of objects: Python gets copies. References into a vector would dangle as soon
/// as another is assigned.
inline constexpr auto copies = nb::rv_policy::copy;

void bind_index(nb::module_& module);
void bind_files(nb::module_& module);
void bind_schedules(nb::module_& module);
void bind_proofs(nb::module_& module);
void bind_evidence(nb::module_& module);
void bind_machines(nb::module_& module);
void bind_tuning(nb::module_& module);
void bind_networks(nb::module_& module);
void bind_tuning_files(nb::module_& module);
void bind_grids(nb::module_& module);
void bind_interconnects(nb::module_& module);
void bind_balance(nb::module_& module);
void bind_simulations(nb::module_& module);
void bind_recordings(nb::module_& module);
void bind_traces(nb::module_& module);
void bind_simulated_programs(nb::module_& module);
void bind_packets(nb::module_& module);
void bind_placement(nb::module_& module);
void bind_quadratic(nb::module_& module);

} // namespace thalweg::python

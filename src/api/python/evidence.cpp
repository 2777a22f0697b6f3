// SPDX-License-Identifier: BSD-3-Clause
#include "evidence/evidence.hpp"

#include "python/bindings.hpp"

namespace thalweg::python {

void bind_evidence(nb::module_& module) {
  using evidence::Limits;
  nb::class_<Limits>(module, "EvidenceLimits",
                     "Constants of the rules that say whether something is surely faster, with their reasons "
                     "in src/core/evidence/evidence.hpp.")
      .def_prop_ro_static(
          "gain", [](nb::handle) { return Limits::gain; }, "Times as fast, or a change is not worth it.")
      .def_prop_ro_static(
          "error_rank_sum", [](nb::handle) { return Limits::error_rank_sum; },
          "The rank-sum test's one-sided error rate.")
      .def_prop_ro_static(
          "rounds_hopeless", [](nb::handle) { return Limits::rounds_hopeless; },
          "Rounds of samples after which a candidate that was never nearer is given up.")
      .def_prop_ro_static(
          "hopeless", [](nb::handle) { return Limits::hopeless; }, "Times as slow, in all of them.")
      .def_prop_ro_static(
          "hysteresis", [](nb::handle) { return Limits::hysteresis; },
          "How many times what a change costs has to be gained.");
}

} // namespace thalweg::python

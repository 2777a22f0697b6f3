// SPDX-License-Identifier: BSD-3-Clause
#include "python/bindings.hpp"

#include "strategies/prover.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

namespace thalweg::python {

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

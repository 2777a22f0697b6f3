// SPDX-License-Identifier: BSD-3-Clause
#include "place/quadratic.hpp"

#include "python/arrays.hpp"
#include "python/bindings.hpp"

#include <nanobind/stl/tuple.h>

namespace thalweg::python {

namespace {

using place::Quadratic;
using place::QuadraticResult;

using Answer = std::tuple<Row<std::int32_t>, std::int64_t, std::int64_t>;

Quadratic problem_of(std::int32_t size, const RowArgument<std::int64_t>& flows,
                     const RowArgument<std::int64_t>& distances) {
  Quadratic problem{size, vector_of(flows), vector_of(distances)};
  place::check_quadratic(problem);
  return problem;
}

Answer answer_of(QuadraticResult result) {
  return {row_of(std::move(result.place_of)), result.cost, result.bound};
}

} // namespace

void bind_quadratic(nb::module_& module) {
  module.def(
      "quadratic_tabu",
      [](std::int32_t size, const RowArgument<std::int64_t>& flows,
         const RowArgument<std::int64_t>& distances, double seconds, std::uint64_t seed) {
        const Quadratic problem = problem_of(size, flows, distances);
        place::Budget budget(seconds, 0, place::Clock::cpu);
        return answer_of(place::tabu_search(problem, seed, budget));
      },
      nb::arg("size"), nb::arg("flows"), nb::arg("distances"), nb::arg("seconds"), nb::arg("seed"),
      "The best assignment that robust tabu search meets; its places, cost, and 0.");
  module.def(
      "quadratic_exact",
      [](std::int32_t size, const RowArgument<std::int64_t>& flows,
         const RowArgument<std::int64_t>& distances, double seconds, std::uint64_t seed) {
        const Quadratic problem = problem_of(size, flows, distances);
        place::Budget budget(seconds, 0, place::Clock::cpu);
        return answer_of(place::branch_and_bound(problem, seed, budget));
      },
      nb::arg("size"), nb::arg("flows"), nb::arg("distances"), nb::arg("seconds"), nb::arg("seed"),
      "The best assignment: its places, cost, and a bound, which is the cost where that is proven least.");
  module.def(
      "gilmore_lawler",
      [](std::int32_t size, const RowArgument<std::int64_t>& flows,
         const RowArgument<std::int64_t>& distances) {
        return place::gilmore_lawler(problem_of(size, flows, distances));
      },
      nb::arg("size"), nb::arg("flows"), nb::arg("distances"));
  module.def(
      "quadratic_relaxation",
      [](std::int32_t size, const RowArgument<std::int64_t>& flows,
         const RowArgument<std::int64_t>& distances, bool is_first_anywhere, double seconds) {
        const Quadratic problem = problem_of(size, flows, distances);
        place::Budget budget(seconds, 0, place::Clock::cpu);
        return place::relaxation(problem, is_first_anywhere, budget);
      },
      nb::arg("size"), nb::arg("flows"), nb::arg("distances"), nb::arg("is_first_anywhere"),
      nb::arg("seconds"),
      "A bound by the dual of the linear relaxation with RLT rows; 0 where numbers are too large.");
}

} // namespace thalweg::python

#include "python/bindings.hpp"

#include "core/error.hpp"
#include "schedule/goal.hpp"
#include "schedule/printer.hpp"
#include "schedule/verifier.hpp"
#include "strategies/prover.hpp"
#include "strategies/selection.hpp"

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

namespace thalweg::python {

namespace {

/// A strategy applied to a problem: what `thalweg show` shows.
struct Case {
  const strategies::Strategy* strategy;
  schedule::Problem problem;
};

std::shared_ptr<const std::vector<std::int32_t>> nodes_of(std::int32_t ranks, std::int32_t ranks_per_node) {
  if (ranks_per_node == 0)
    return nullptr;
  std::vector<std::int32_t> nodes;
  for (std::int32_t rank = 0; rank < ranks; ++rank)
    nodes.push_back(rank / ranks_per_node);
  return std::make_shared<const std::vector<std::int32_t>>(std::move(nodes));
}

/// Every rank's neighbours are the one before and the one after it.
std::shared_ptr<const std::vector<schedule::Neighborhood>> ring(std::int32_t ranks) {
  std::vector<schedule::Neighborhood> neighborhoods;
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    const Rank before = (rank + ranks - 1) % ranks;
    const Rank after = (rank + 1) % ranks;
    neighborhoods.push_back({.sources = {before, after}, .destinations = {after, before}});
  }
  return std::make_shared<const std::vector<schedule::Neighborhood>>(std::move(neighborhoods));
}

void require(bool holds, const std::string& problem, const std::string& remedy) {
  if (!holds)
    throw Error(problem, remedy);
}

Case make_case(std::string_view operation, std::string_view strategy, std::int32_t ranks, std::int32_t root,
               std::int32_t ranks_per_node, std::int64_t unit_bytes) {
  const strategies::Selection selection = strategies::parse_selection(fmt::format("{}={}", operation, strategy));
  require(selection.strategy != nullptr, "native is the MPI library's own and has no schedule to show",
          fmt::format("'thalweg strategies {}' lists those that have", operation));
  require(ranks >= 1, fmt::format("{} ranks", ranks), "choose at least 1");
  require(root >= 0 && root < ranks, fmt::format("root {} of {} ranks", root, ranks),
          fmt::format("choose 0 to {}", ranks - 1));
  require(ranks_per_node >= 0, fmt::format("{} ranks per node", ranks_per_node), "choose at least 1");
  schedule::Problem problem{.operation = selection.call->operation, .ranks = ranks, .root = root};
  problem.commutative = !selection.strategy->keeps_rank_order;
  problem.unit_bytes = unit_bytes;
  problem.parameters = selection.parameters;
  problem.nodes = nodes_of(ranks, ranks_per_node);
  problem.neighborhoods = ring(ranks);
  if (const auto why = strategies::refusal(*selection.strategy, problem))
    throw Error(fmt::format("{} {} cannot do this: {}", operation, selection.strategy->name, *why),
                "choose other parameters, ranks or another strategy");
  return {.strategy = selection.strategy, .problem = std::move(problem)};
}

schedule::Schedule schedule_of(const Case& self, std::int32_t rank) {
  require(rank >= 0 && rank < self.problem.ranks, fmt::format("rank {} of {} ranks", rank, self.problem.ranks),
          fmt::format("choose 0 to {}", self.problem.ranks - 1));
  return strategies::build(*self.strategy, self.problem, rank);
}

std::vector<schedule::Schedule> all_schedules(const Case& self) {
  return strategies::build_all(*self.strategy, self.problem);
}

} // namespace

void bind_schedules(nb::module_& module) {
  using schedule::Verdict;
  nb::class_<Verdict>(module, "Verdict", "What the verifier found.")
      .def_ro("faults", &Verdict::faults)
      .def_ro("in_rank_order", &Verdict::in_rank_order)
      .def_ro("same_on_all_ranks", &Verdict::same_on_all_ranks)
      .def_ro("exact_shapes", &Verdict::exact_shapes)
      .def_ro("messages", &Verdict::messages)
      .def_ro("blocks_moved", &Verdict::blocks_moved);

  nb::class_<Case>(module, "Case", "A strategy applied to a problem.")
      .def("__init__",
           [](Case* self, std::string_view operation, std::string_view strategy, std::int32_t ranks, std::int32_t root,
              std::int32_t ranks_per_node, std::int64_t unit_bytes) {
             new (self) Case(make_case(operation, strategy, ranks, root, ranks_per_node, unit_bytes));
           },
           nb::arg("operation"), nb::arg("strategy"), nb::arg("ranks"), nb::arg("root") = 0,
           nb::arg("ranks_per_node") = 0, nb::arg("unit_bytes") = 0)
      .def_prop_ro("strategy", [](const Case& self) { return self.strategy; }, nb::rv_policy::reference)
      .def("describe", [](const Case& self) { return strategies::describe(*self.strategy, self.problem); })
      .def("print", [](const Case& self, std::int32_t rank) { return schedule::print(schedule_of(self, rank)); },
           nb::arg("rank"), "A rank's schedule as text.")
      .def("draw", [](const Case& self) { return schedule::draw(all_schedules(self)); },
           "All ranks' schedules in Graphviz's language.")
      .def("goal",
           [](const Case& self, std::int64_t unit_bytes) {
             return schedule::export_goal(all_schedules(self), {.unit_bytes = unit_bytes});
           },
           nb::arg("unit_bytes"), "All ranks' schedules in GOAL.")
      .def("verify",
           [](const Case& self) {
             return schedule::verify(self.problem, all_schedules(self));
           },
           nb::call_guard<nb::gil_scoped_release>());
}

} // namespace thalweg::python

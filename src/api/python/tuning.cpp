// SPDX-License-Identifier: BSD-3-Clause
#include "python/bindings.hpp"

#include "base/error.hpp"
#include "strategies/order.hpp"
#include "topology/node_groups.hpp"
#include "tune/candidates.hpp"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

namespace thalweg::python {

namespace {

using tune::Candidate;
using tune::Case;

using Places = std::vector<std::int32_t>;

/// Of a rank each, in its node and on a switch; without switches those that the network's shape says.
struct RankPlaces {
  Places nodes;
  Places sockets = {};
  Places complexes = {};
  std::optional<Places> leaves = {};
};

/// With the orders that the machine gives the ranks.
Case make_case(std::string_view call, std::int64_t bytes, std::int32_t ranks, RankPlaces of_ranks,
               const machine::Machine& machine, topology::NodePlaces node_places = {}) {
  auto& [nodes, sockets, complexes, leaves] = of_ranks;
  const strategies::Call* found = strategies::find_call(call);
  if (found == nullptr)
    throw Error(fmt::format("'{}' is no collective", call), "thalweg strategies lists them");
  for (const Places& places : {nodes, sockets, complexes, leaves.value_or(Places{})})
    if (ranks < 1 || bytes < 0 || (!places.empty() && places.size() != static_cast<std::size_t>(ranks)))
      throw Error(
          fmt::format("{} ranks with {} bytes at {} given places make no case", ranks, bytes, places.size()),
          "give ranks above 0 and a node, socket, core complex and switch for each of them, or none");
  if (node_places.network.empty())
    node_places.network = machine.network;
  auto orders = strategies::rank_orders(nodes, topology::sockets_across_nodes(nodes, sockets), node_places);
  if (!leaves)
    leaves = topology::leaves_of(node_places, nodes);
  return {found,
          bytes,
          ranks,
          std::move(nodes),
          std::move(sockets),
          std::move(complexes),
          std::move(node_places),
          std::move(*leaves),
          std::move(orders)};
}

void bind_predictions(nb::module_& module) {
  module.def(
      "predict",
      [](std::string_view selection, std::int64_t bytes, std::int32_t ranks, Places nodes,
         const machine::Machine& machine, topology::NodePlaces node_places, std::optional<Places> leaves) {
        const strategies::Selection parsed = strategies::parse_selection(selection);
        const model::Prediction found =
            tune::predict(strategies::schedule_of(parsed),
                          make_case(parsed.call->name, bytes, ranks,
                                    {.nodes = std::move(nodes), .leaves = std::move(leaves)}, machine,
                                    std::move(node_places)),
                          machine);
        return std::vector<double>{found.seconds, found.cpu_seconds, found.cpu_max};
      },
      nb::arg("selection"), nb::arg("size"), nb::arg("ranks"), nb::arg("nodes"), nb::arg("machine"),
      nb::arg("node_places") = topology::NodePlaces{}, nb::arg("leaves") = nb::none(),
      nb::call_guard<nb::gil_scoped_release>(),
      "Completion time, mean and maximum CPU time of a rank, in seconds.");
  module.def(
      "closed_form",
      [](std::string_view selection, std::int64_t bytes, std::int32_t ranks, const machine::Machine& machine,
         Places nodes) -> std::optional<std::pair<double, std::string>> {
        const strategies::Selection parsed = strategies::parse_selection(selection);
        const auto* scheduled = std::get_if<strategies::Scheduled>(&parsed.implementation);
        if (scheduled == nullptr)
          return std::nullopt;
        const auto found = tune::closed_form(
            *scheduled, make_case(parsed.call->name, bytes, ranks, {std::move(nodes)}, machine), machine);
        if (!found)
          return std::nullopt;
        return std::pair(found->seconds, std::string(found->source));
      },
      nb::arg("selection"), nb::arg("size"), nb::arg("ranks"), nb::arg("machine"),
      nb::arg("nodes") = Places{},
      "Seconds by the papers' equation for a selection, and whose it is; None where there is none. Between "
      "ranks on nodes of their own, or with all ranks on one node within it.");
}

} // namespace

void bind_tuning(nb::module_& module) {
  nb::class_<Candidate>(module, "Candidate",
                        "A strategy with its parameters, and what the model expects of it.")
      .def_ro("text", &Candidate::text)
      .def_prop_ro("seconds", [](const Candidate& self) { return self.prediction.seconds; })
      .def_prop_ro("cpu_seconds", [](const Candidate& self) { return self.prediction.cpu_seconds; })
      .def_prop_ro("cpu_max", [](const Candidate& self) { return self.prediction.cpu_max; })
      .def_prop_ro(
          "is_bound", [](const Candidate& self) { return self.prediction.is_bound; },
          "It takes at least `seconds`, which is far behind the best; how much longer nobody has looked.");
  module.def(
      "candidates",
      [](std::string_view call, std::int64_t bytes, std::int32_t ranks, Places nodes,
         const machine::Machine& machine, Places sockets, Places complexes, topology::NodePlaces node_places,
         std::optional<Places> leaves) {
        return tune::candidates(
            make_case(call, bytes, ranks,
                      {std::move(nodes), std::move(sockets), std::move(complexes), std::move(leaves)},
                      machine, std::move(node_places)),
            machine);
      },
      nb::arg("call"), nb::arg("size"), nb::arg("ranks"), nb::arg("nodes"), nb::arg("machine"),
      nb::arg("sockets") = Places{}, nb::arg("complexes") = Places{},
      nb::arg("node_places") = topology::NodePlaces{}, nb::arg("leaves") = nb::none(),
      nb::call_guard<nb::gil_scoped_release>(),
      "All candidates for a call with units of so many bytes, fastest first by the model. `leaves`: the "
      "switch of each rank's node, from 0, or none for one switch; None: as the network's shape says.");
  bind_predictions(module);
}

} // namespace thalweg::python

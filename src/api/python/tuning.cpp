// SPDX-License-Identifier: BSD-3-Clause
#include "base/error.hpp"
#include "evidence/evidence.hpp"
#include "python/bindings.hpp"
#include "strategies/degree.hpp"
#include "strategies/order.hpp"
#include "topology/node_groups.hpp"
#include "tune/candidates.hpp"
#include "tune/tuning_file.hpp"

#include <charconv>
#include <fmt/format.h>
#include <map>
#include <nanobind/stl/map.h>
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
  Places cores = {};
  std::optional<Places> leaves = {};
};

/// With the orders that the machine gives the ranks.
Case make_case(std::string_view call, std::int64_t bytes, std::int32_t ranks, RankPlaces of_ranks,
               const machine::Machine& machine, topology::NodePlaces node_places = {}, double degree = 0) {
  auto& [nodes, sockets, complexes, cores, leaves] = of_ranks;
  const strategies::Call* found = strategies::find_call(call);
  if (found == nullptr)
    throw Error(fmt::format("'{}' is no collective", call), "thalweg strategies lists them");
  const bool is_among_neighbors = strategies::is_among_neighbors(found->operation);
  // Whose schedules follow the program's own topology, which nobody here knows.
  if (is_among_neighbors && degree == 0)
    throw Error(
        fmt::format("what {} takes depends on the program's topology", call),
        "give a degree: the neighbors of each rank; or let thalweg run learn from the program's calls");
  strategies::check_degree(*found, degree);
  for (const Places& places : {nodes, sockets, complexes, cores, leaves.value_or(Places{})})
    if (ranks < 1 || bytes < 0 || (!places.empty() && places.size() != static_cast<std::size_t>(ranks)))
      throw Error(
          fmt::format("{} ranks with {} bytes at {} given places make no case", ranks, bytes, places.size()),
          "give ranks above 0 and a node, socket, core complex, core and switch for each of them, or none");
  if (node_places.network.empty())
    node_places.network = machine.network;
  auto orders = strategies::rank_orders(nodes, topology::sockets_across_nodes(nodes, sockets), node_places);
  if (!leaves)
    leaves = topology::leaves_of(node_places, nodes);
  return {.call = found,
          .bytes = bytes,
          .ranks = ranks,
          .nodes = std::move(nodes),
          .sockets = std::move(sockets),
          .complexes = std::move(complexes),
          .cores = std::move(cores),
          .node_places = std::move(node_places),
          .leaves = std::move(*leaves),
          .orders = std::move(orders),
          .degree = degree,
          .neighborhoods = is_among_neighbors ? strategies::neighborhoods_of(ranks, degree) : nullptr};
}

void bind_predictions(nb::module_& module) {
  module.def(
      "predict",
      [](std::string_view selection, std::int64_t bytes, std::int32_t ranks, Places nodes,
         const machine::Machine& machine, topology::NodePlaces node_places, std::optional<Places> leaves,
         double degree) {
        const strategies::Selection parsed = strategies::parse_selection(selection);
        const model::Prediction found =
            tune::predict(strategies::schedule_of(parsed),
                          make_case(parsed.call->name, bytes, ranks,
                                    {.nodes = std::move(nodes), .leaves = std::move(leaves)}, machine,
                                    std::move(node_places), degree),
                          machine);
        return std::vector<double>{found.seconds, found.cpu_seconds, found.cpu_max};
      },
      nb::arg("selection"), nb::arg("size"), nb::arg("ranks"), nb::arg("nodes"), nb::arg("machine"),
      nb::arg("node_places") = topology::NodePlaces{}, nb::arg("leaves") = nb::none(),
      nb::arg("degree") = 0.0, nb::call_guard<nb::gil_scoped_release>(),
      "Completion time, mean and maximum CPU time of a rank, in seconds.");
  module.def(
      "closed_form",
      [](std::string_view selection, std::int64_t bytes, std::int32_t ranks, const machine::Machine& machine,
         Places nodes, double degree) -> std::optional<std::pair<double, std::string>> {
        const strategies::Selection parsed = strategies::parse_selection(selection);
        const auto* scheduled = std::get_if<strategies::Scheduled>(&parsed.implementation);
        if (scheduled == nullptr)
          return std::nullopt;
        const auto found = tune::closed_form(
            *scheduled, make_case(parsed.call->name, bytes, ranks, {std::move(nodes)}, machine, {}, degree),
            machine);
        if (!found)
          return std::nullopt;
        return std::pair(found->seconds, std::string(found->source));
      },
      nb::arg("selection"), nb::arg("size"), nb::arg("ranks"), nb::arg("machine"),
      nb::arg("nodes") = Places{}, nb::arg("degree") = 0.0,
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
         std::optional<Places> leaves, double degree, Places cores) {
        return tune::candidates(make_case(call, bytes, ranks,
                                          {std::move(nodes), std::move(sockets), std::move(complexes),
                                           std::move(cores), std::move(leaves)},
                                          machine, std::move(node_places), degree),
                                machine);
      },
      nb::arg("call"), nb::arg("size"), nb::arg("ranks"), nb::arg("nodes"), nb::arg("machine"),
      nb::arg("sockets") = Places{}, nb::arg("complexes") = Places{},
      nb::arg("node_places") = topology::NodePlaces{}, nb::arg("leaves") = nb::none(),
      nb::arg("degree") = 0.0, nb::arg("cores") = Places{}, nb::call_guard<nb::gil_scoped_release>(),
      "All candidates for a call with units of so many bytes, fastest first by the model. `leaves`: the "
      "switch of each rank's node, from 0, or none for one switch; None: as the network's shape says. "
      "`degree`, of alltoallv and alltoallw: to how many others a rank has a unit; 0: to all. `cores`: the "
      "one "
      "that each rank stays on, as its system numbers it, or -1.");
  bind_predictions(module);
}

namespace {

using machine::Fingerprint;
using tune::Overlap;
using tune::Overlaps;
using tune::Pick;
using tune::Tuning;

// The lines of thalweg_fingerprint() in include/thalweg/control.h.
Fingerprint from_lines(const std::vector<std::string>& lines) {
  constexpr std::size_t count = 8;
  if (lines.size() != count)
    throw Error("that is no fingerprint of a job", "it has eight lines");
  const auto number = [](const std::string& text) {
    std::int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  };
  return {.processor = lines[0],
          .cores = number(lines[1]),
          .quota = lines[2],
          .kernel = lines[3],
          .mpi = lines[4],
          .transport = lines[5],
          .nodes = number(lines[6]),
          .ranks_per_node = lines[7]};
}

const strategies::Call& call_of(const Pick& pick) {
  if (const strategies::Call* call = strategies::find_call(pick.call))
    return *call;
  throw Error(fmt::format("'{}' is no collective", pick.call),
              "set the pick's call first: thalweg strategies lists them");
}

std::string library_algorithm(const strategies::Implementation& implementation) {
  const auto* library = std::get_if<strategies::Library>(&implementation);
  return library == nullptr ? "" : library->algorithm;
}

std::optional<strategies::Implementation> fallback_of(std::string_view text, const Pick& pick) {
  if (text.empty())
    return std::nullopt;
  return strategies::parse_implementation(text, call_of(pick));
}

// What a process with these variables would see of this machine by itself.
Fingerprint local_fingerprint(const std::map<std::string, std::string>& environment) {
  static thread_local const std::map<std::string, std::string>* given;
  given = &environment;
  return machine::local_fingerprint([](const char* name) -> const char* {
    const auto found = given->find(name);
    return found == given->end() ? nullptr : found->second.c_str();
  });
}

void bind_picks(nb::module_& module) {
  nb::class_<Overlap>(module, "Overlap",
                      "How a nonblocking call and a computation behind its start fit together, in seconds.")
      .def(nb::init<double, double, double>(), nb::arg("exposed"), nb::arg("lost"), nb::arg("completion"))
      .def_ro("exposed", &Overlap::exposed, "Time that the rank spends in the start, in tests and the wait.")
      .def_ro("lost", &Overlap::lost, "Time by which its computation takes longer.")
      .def_ro("completion", &Overlap::completion, "Time from the start until the end is known.");
  nb::class_<Overlaps>(module, "Overlaps", "A nonblocking call's pick, and the library's own call beside it.")
      .def(nb::init<Overlap, Overlap>(), nb::arg("pick"), nb::arg("native"))
      .def_ro("pick", &Overlaps::pick)
      .def_ro("native", &Overlaps::native);
  nb::class_<Pick>(module, "Pick", "What was found best for one case.")
      .def(nb::init<>())
      .def_rw("call", &Pick::call)
      .def_rw("ranks", &Pick::ranks)
      .def_rw("nodes", &Pick::nodes)
      .def_rw("bytes", &Pick::bytes)
      .def_rw("mode", &Pick::mode,
              "Of a team's call: its synchronization before and after it, as \"mine-all\"; else empty.")
      .def_rw("degree", &Pick::degree,
              "Of calls whose blocks may be empty: to how many others a rank has something; 0: to all.")
      .def_prop_rw(
          "use", [](const Pick& self) { return strategies::to_text(self.use); },
          [](Pick& self, std::string_view text) {
            self.use = strategies::parse_implementation(text, call_of(self));
          },
          "What was found best, as behind \"=\" in a selection. Set the call first: the text is checked for "
          "it.")
      .def_prop_ro(
          "library_algorithm", [](const Pick& self) { return library_algorithm(self.use); },
          "The library's own algorithm that was found best, empty where it is none by name.")
      .def_rw("seconds", &Pick::seconds)
      .def_rw("native_seconds", &Pick::native_seconds)
      .def_rw("trials", &Pick::trials)
      .def_rw("source", &Pick::source)
      .def_prop_rw(
          "fallback",
          [](const Pick& self) { return self.fallback ? strategies::to_text(*self.fallback) : ""; },
          [](Pick& self, std::string_view text) { self.fallback = fallback_of(text, self); },
          "What runs where that does not take effect; empty: native.")
      .def_rw("objective", &Pick::objective,
              "The figure by which it was chosen: time, cpu or overlap; empty in older files.")
      .def_rw("overlaps", &Pick::overlaps, nb::arg().none(),
              "Of nonblocking calls, where it was measured; None elsewhere.");
}

} // namespace

void bind_tuning_files(nb::module_& module) {
  nb::class_<Fingerprint>(module, "Fingerprint", "What must be the same for measured times to hold again.")
      .def(
          "__init__",
          [](Fingerprint* self, const std::vector<std::string>& lines) {
            new (self) Fingerprint(from_lines(lines));
          },
          nb::arg("lines"))
      .def_ro("processor", &Fingerprint::processor)
      .def_ro("cores", &Fingerprint::cores)
      .def_ro("quota", &Fingerprint::quota)
      .def_ro("kernel", &Fingerprint::kernel)
      .def_ro("mpi", &Fingerprint::mpi)
      .def_ro("transport", &Fingerprint::transport)
      .def_ro("nodes", &Fingerprint::nodes)
      .def_ro("ranks_per_node", &Fingerprint::ranks_per_node)
      .def("describe", &machine::describe);
  bind_picks(module);
  nb::class_<Tuning>(module, "Tuning", "What is known of one machine.")
      .def(nb::init<>())
      .def_rw("machine", &Tuning::machine)
      .def_rw("picks", &Tuning::picks, copies, "Copies: assign them to change them.")
      .def_rw("nonblocking", &Tuning::nonblocking, copies,
              "Of nonblocking calls, with the time that they hold up a rank which computes meanwhile.")
      .def_rw("of_teams", &Tuning::of_teams, copies,
              "Of teams' calls, each with its mode. Native is what a team runs without a pick.");
  module.def("local_fingerprint", &local_fingerprint, nb::arg("environment"),
             "Fills in processor, kernel and the environment's transport; the rest is a job's to know.");
  module.def("load_tuning", &tune::load_tuning, nb::arg("path"),
             "Reads a tuning file; one that is not there is empty.");
  module.def(
      "save_tuning", &tune::save_tuning, nb::arg("path"), nb::arg("found"),
      "Merges into the file under a lock and replaces it atomically. Gives the name under which a file that "
      "does not read is kept; empty otherwise.");
}

void bind_evidence(nb::module_& module) {
  using evidence::Limits;
  module.def(
      "is_same_distance", &evidence::is_same_distance, nb::arg("one"), nb::arg("other"),
      "May two distances be of the same cores? Each is what a cache line takes there and back; 0 may be "
      "any.");
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

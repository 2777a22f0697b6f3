// SPDX-License-Identifier: BSD-3-Clause
#include "base/error.hpp"
#include "place/bounds.hpp"
#include "place/kept_runs.hpp"
#include "place/kept_trials.hpp"
#include "place/link_search.hpp"
#include "place/map.hpp"
#include "place/published_heuristics.hpp"
#include "place/rank_order.hpp"
#include "place/stencil.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"
#include "python/interconnects.hpp"

#include <atomic>
#include <chrono>
#include <future>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace thalweg::python {

namespace {

using machine::Allocation;
using pattern::Pattern;
using place::Metrics;
using place::Result;
using topology::Link;
using topology::Place;

constexpr std::string_view local_opt = "localopt";

void add_phase(Pattern& self, std::string name, double repeats, const RowArgument<std::int32_t>& from,
               const RowArgument<std::int32_t>& to, const RowArgument<double>& bytes,
               const RowArgument<double>& messages) {
  const std::size_t count = from.size();
  if (to.size() != count || bytes.size() != count || messages.size() != count)
    throw Error("a phase of rows that are not of one length",
                "give a sender, receiver, bytes and messages each");
  std::vector<pattern::Edge> edges;
  edges.reserve(count);
  for (std::size_t index = 0; index < count; ++index)
    edges.push_back({from.data()[index], to.data()[index], bytes.data()[index], messages.data()[index]});
  self.phases.push_back({std::move(name), repeats, pattern::Matrix(self.tasks, std::move(edges))});
}

void bind_patterns(nb::module_& module) {
  module.attr("amount_max") = pattern::amount_max;
  nb::class_<Pattern>(module, "TrafficPattern", "Who sends whom how much, by phase.")
      .def(
          "__init__",
          [](Pattern* self, std::int32_t tasks) {
            new (self) Pattern{tasks, {}};
          },
          nb::arg("tasks"))
      .def_ro("tasks", &Pattern::tasks)
      .def("add_phase", &add_phase, nb::arg("name"), nb::arg("repeats"), nb::arg("senders"),
           nb::arg("receivers"), nb::arg("bytes"), nb::arg("messages"),
           "Adds what is sent at once, in rows of one length.");
}

Allocation allocation_of(const InterconnectHandle& machine, const RowArgument<Place>& slots) {
  for (const Place slot : span_of(slots))
    if (slot < 0 || slot >= machine.held->nodes())
      throw Error("a slot on node " + std::to_string(slot) + " of " + machine.held->name(),
                  "name nodes of the machine");
  return {machine.held, vector_of(slots)};
}

void bind_results(nb::module_& module) {
  nb::class_<Metrics>(module, "PlacementMetrics", "What a mapping costs.")
      .def_ro("hop_bytes", &Metrics::hop_bytes)
      .def_ro("hops_per_byte", &Metrics::hops_per_byte)
      .def_ro("link_max", &Metrics::link_max)
      .def_ro("between_max", &Metrics::between_max, "Of the links that are no node's own.")
      .def_ro("phase_link_max", &Metrics::phase_link_max)
      .def_ro("seconds", &Metrics::seconds);
  nb::class_<Result>(module, "PlacementResult", "A slot for each task.")
      .def_prop_ro(
          "slot_of", [](const Result& self) { return row_of(self.slot_of); }, nb::rv_policy::move)
      .def_prop_ro(
          "numbered", [](const Result& self) { return row_of(self.numbered); }, nb::rv_policy::move)
      .def_ro("identity", &Result::identity)
      .def_ro("placed", &Result::placed)
      .def_ro("method", &Result::method)
      .def_ro("seconds", &Result::seconds)
      .def_ro("is_proven", &Result::is_proven, "All mappings were gone through.");
}

/// A link's bytes per second, and seconds of a hop and of one end of a message; the usual ones without.
using Costs = std::optional<std::tuple<double, double, double>>;

place::LinkCosts costs_of(const Costs& costs) {
  if (!costs)
    return {};
  const auto& [bytes_per_second, hop_seconds, message_seconds] = *costs;
  if (!(bytes_per_second > 0 && hop_seconds >= 0 && message_seconds >= 0))
    throw Error("a link without bytes per second, or seconds below 0", "give a rate above 0");
  return {bytes_per_second, hop_seconds, message_seconds};
}

/// Runs a search in a thread of its own, so that an interrupt (Ctrl-C) ends it by setting `stopped`.
template <typename Search>
Result stoppable(std::atomic<bool>& stopped, const Search& search) {
  constexpr std::chrono::milliseconds between_looks{20};
  const nb::gil_scoped_release others_go_on;
  std::future<Result> found = std::async(std::launch::async, search);
  while (found.wait_for(between_looks) != std::future_status::ready) {
    const nb::gil_scoped_acquire held;
    if (PyErr_CheckSignals() == 0)
      continue;
    stopped = true;
    {
      const nb::gil_scoped_release until_it_ends;
      found.wait();
    }
    throw nb::python_error();
  }
  return found.get();
}

Result mapped(const Pattern& pattern, const InterconnectHandle& machine, const RowArgument<Place>& slots,
              std::string_view goal, double seconds, std::int64_t proposals, bool cpu_time,
              std::uint64_t seed, const RowArgument<double>& base_load, const Costs& costs, bool pinned,
              const std::optional<std::tuple<std::vector<double>, double>>& sharing, int threads) {
  std::atomic<bool> stopped = false;
  const place::Options options{place::parse_goal(goal),
                               seconds,
                               proposals,
                               cpu_time ? place::Clock::cpu : place::Clock::wall,
                               seed,
                               vector_of(base_load),
                               costs_of(costs),
                               &stopped,
                               threads};
  const Allocation allocation = allocation_of(machine, slots);
  return stoppable(stopped, [&] {
    if (sharing)
      return place::map_shared(pattern, allocation, {std::get<0>(*sharing), std::get<1>(*sharing)}, options);
    return pinned ? place::map_pinned(pattern, allocation, options)
                  : place::map(pattern, allocation, options);
  });
}

/// What earlier runs found, with what it says; nothing where they tried nothing on these slots.
std::optional<std::tuple<std::string, std::vector<double>, double, std::vector<std::int32_t>>>
kept(std::string_view pattern_text, std::string_view trials_text, const InterconnectHandle& machine,
     const RowArgument<Place>& slots) {
  const std::uint64_t key = place::trial_key(pattern_text, allocation_of(machine, slots));
  auto found =
      place::find_trial(place::parse_trials(trials_text), key, static_cast<std::int32_t>(slots.size()));
  if (!found)
    return std::nullopt;
  return std::tuple(std::string(place::name(found->verdict)), std::move(found->ratios), found->saved_s,
                    std::move(found->slot_of));
}

/// How long runs took that were timed, with the verdict; nothing where none was on these slots.
std::optional<std::tuple<std::string, std::vector<double>, std::vector<double>, std::vector<std::int32_t>>>
timed(std::string_view pattern_text, std::string_view runs_text, const InterconnectHandle& machine,
      const RowArgument<Place>& slots) {
  const std::uint64_t key = place::trial_key(pattern_text, allocation_of(machine, slots));
  auto found = place::find_runs(place::parse_runs(runs_text), key, static_cast<std::int32_t>(slots.size()));
  if (!found)
    return std::nullopt;
  return std::tuple(std::string(place::name(found->verdict)), std::move(found->started),
                    std::move(found->placed), std::move(found->slot_of));
}

void bind_explanations(nb::module_& module) {
  module.def(
      "messages_over",
      [](Link link, const Pattern& pattern, const InterconnectHandle& machine,
         const RowArgument<Place>& slots, const RowArgument<std::int32_t>& slot_of) {
        std::vector<std::tuple<std::int32_t, std::int32_t, double>> rows;
        for (const pattern::Edge& edge : place::messages_over(
                 link, pattern::sum(pattern), allocation_of(machine, slots), vector_of(slot_of)))
          rows.emplace_back(edge.from, edge.to, edge.bytes);
        return rows;
      },
      nb::arg("link"), nb::arg("pattern"), nb::arg("machine"), nb::arg("slots"), nb::arg("slot_of"),
      "Sender, receiver and bytes of what crosses a link, the most first.");
  module.def(
      "best_relief",
      [](const Pattern& pattern, const InterconnectHandle& machine, const RowArgument<Place>& slots,
         const RowArgument<std::int32_t>& slot_of, const RowArgument<double>& base_load) {
        constexpr std::size_t tasks_max = 32;
        const auto found = place::best_relief(pattern::sum(pattern), allocation_of(machine, slots),
                                              vector_of(slot_of), tasks_max, vector_of(base_load));
        return found
                   ? std::optional(std::tuple(found->task, found->slot, found->peak.load, found->peak.links))
                   : std::nullopt;
      },
      nb::arg("pattern"), nb::arg("machine"), nb::arg("slots"), nb::arg("slot_of"), nb::arg("base_load"),
      "The rank and the slot whose swap relieves the most loaded links best, their load then, and how many "
      "they are; or None.");
  module.def(
      "recognized_mesh",
      [](const Pattern& pattern) {
        const auto found = place::recognized(place::Graph(pattern::sum(pattern), pattern.tasks));
        return found && found->is_mesh() ? found->extents : std::vector<std::int32_t>{};
      },
      nb::arg("pattern"),
      "The extents of the mesh that a pattern is, under any numbering; empty where it is none.");
}

void bind_bounds(nb::module_& module) {
  module.def(
      "injection_bound",
      [](const Pattern& pattern, const InterconnectHandle& machine, const RowArgument<Place>& slots) {
        return place::injection_bound(pattern, allocation_of(machine, slots));
      },
      nb::arg("pattern"), nb::arg("machine"), nb::arg("slots"),
      "Bytes that some link carries over its capacity under any mapping, as tasks send or receive them.");
  module.def(
      "near_bound",
      [](const Pattern& pattern, const InterconnectHandle& machine, const RowArgument<Place>& slots) {
        return place::near_bound(pattern, allocation_of(machine, slots));
      },
      nb::arg("pattern"), nb::arg("machine"), nb::arg("slots"),
      "Hop-bytes that no mapping is below, as partners are no nearer than slots are.");
}

void bind_published(nb::module_& module) {
  module.def("published_heuristics", [] {
    const auto names = place::literals();
    std::vector<std::string> all(names.begin(), names.end());
    all.emplace_back(local_opt);
    return all;
  });
  module.def(
      "map_as_published",
      [](std::string_view heuristic, const Pattern& pattern, const InterconnectHandle& machine,
         const RowArgument<Place>& slots) {
        const Allocation allocation = allocation_of(machine, slots);
        if (slots.size() < static_cast<std::size_t>(pattern.tasks) || slots.size() == 0)
          throw Error("fewer slots than tasks", "give more slots");
        const pattern::Matrix total = pattern::sum(pattern);
        const place::Graph graph(total, static_cast<std::int32_t>(slots.size()));
        const place::Distances distances(allocation);
        place::Slots found = (heuristic == local_opt ? place::local_opt(total, graph, distances)
                                                     : place::literal(heuristic, graph, distances))
                                 .slot_of;
        found.resize(static_cast<std::size_t>(pattern.tasks));
        return row_of(std::move(found));
      },
      nb::arg("heuristic"), nb::arg("pattern"), nb::arg("machine"), nb::arg("slots"),
      "A slot for each task, by a heuristic as it was published.");
}

} // namespace

void bind_placement(nb::module_& module) {
  bind_patterns(module);
  bind_results(module);
  module.def(
      "map_tasks", &mapped, nb::arg("pattern"), nb::arg("machine"), nb::arg("slots"), nb::arg("goal"),
      nb::arg("seconds"), nb::arg("proposals"), nb::arg("cpu_time"), nb::arg("seed"), nb::arg("base_load"),
      nb::arg("costs") = nb::none(), nb::arg("pinned") = false, nb::arg("sharing") = nb::none(),
      nb::arg("threads") = 1,
      "Searches a slot for each task within a budget; pinned, the first task stays on the first slot. Tasks "
      "may share slots with their weights, or none for alike ones, and the imbalance that is allowed.");
  module.def(
      "job_slots",
      [](const topology::NodePlaces& known, const std::vector<int>& node_of, std::int32_t nodes) {
        Allocation allocation = place::job_allocation(known, node_of, nodes);
        return std::tuple(InterconnectHandle{std::move(allocation.interconnect)},
                          row_of(std::move(allocation.slots)));
      },
      nb::arg("known"), nb::arg("node_of"), nb::arg("nodes"),
      "The machine and the slots of a job's ranks, as the running job sees them; `node_of` has each rank's.");
  module.def(
      "kept_trial", &kept, nb::arg("pattern_text"), nb::arg("trials_text"), nb::arg("machine"),
      nb::arg("slots"),
      "What runs with --place auto found on these slots: verdict, how many times as fast each round was, "
      "seconds left for trying, and the slot of each rank; or None.");
  module.def(
      "kept_runs", &timed, nb::arg("pattern_text"), nb::arg("runs_text"), nb::arg("machine"),
      nb::arg("slots"),
      "How long runs with --place auto took on these slots, if whole runs decide there: verdict, seconds as "
      "started, seconds placed, and the slot of each rank; or None.");
  module.def(
      "placement_metrics",
      [](const Pattern& pattern, const InterconnectHandle& machine, const RowArgument<Place>& slots,
         const RowArgument<std::int32_t>& slot_of, const RowArgument<double>& base_load, const Costs& costs) {
        const Allocation allocation = allocation_of(machine, slots);
        const auto tasks = static_cast<std::size_t>(pattern.tasks);
        for (const std::int32_t slot : span_of(slot_of))
          if (slot < 0 || static_cast<std::size_t>(slot) >= allocation.slots.size() ||
              slot_of.size() != tasks)
            throw Error("a mapping that does not give each task a slot", "give a slot for each");
        return place::metrics(pattern, allocation, vector_of(slot_of), vector_of(base_load), costs_of(costs));
      },
      nb::arg("pattern"), nb::arg("machine"), nb::arg("slots"), nb::arg("slot_of"), nb::arg("base_load"),
      nb::arg("costs") = nb::none(),
      "What a mapping costs; costs are a link's bytes per second, and seconds of a hop and of a message's "
      "end.");
  module.def(
      "link_loads",
      [](const Pattern& pattern, const InterconnectHandle& machine, const RowArgument<Place>& slots,
         const RowArgument<std::int32_t>& slot_of) {
        return row_of(
            place::link_loads(pattern::sum(pattern), allocation_of(machine, slots), vector_of(slot_of)));
      },
      nb::arg("pattern"), nb::arg("machine"), nb::arg("slots"), nb::arg("slot_of"),
      "Bytes on each link over its capacity, all phases together.");
  bind_bounds(module);
  bind_explanations(module);
  bind_published(module);
}

} // namespace thalweg::python

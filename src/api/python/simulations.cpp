// SPDX-License-Identifier: BSD-3-Clause
#include "base/error.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"
#include "python/interconnects.hpp"
#include "python/simulated_programs.hpp"
#include "simulate/rounds.hpp"
#include "simulate/simulation.hpp"

#include <fmt/format.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <tuple>

namespace thalweg::python {

namespace {

using simulate::CostKind;
using simulate::Delivery;
using simulate::RankNetwork;
using simulate::Segment;
using simulate::SharedCores;
using simulate::Simulation;
using simulate::SimulationOptions;

template <typename Number, typename One, typename Part>
Row<Number> part_of(const std::vector<One>& all, Part part) {
  std::vector<Number> numbers;
  numbers.reserve(all.size());
  for (const One& one : all)
    numbers.push_back(static_cast<Number>(part(one)));
  return row_of(std::move(numbers));
}

/// Ranks, kinds, begins, ends and links.
using Columns =
    std::tuple<Row<std::int64_t>, Row<std::uint8_t>, Row<std::int64_t>, Row<std::int64_t>, Row<std::int64_t>>;

Columns columns(const std::vector<Segment>& segments) {
  return {part_of<std::int64_t>(segments, [](const Segment& one) { return one.rank; }),
          part_of<std::uint8_t>(segments, [](const Segment& one) { return one.kind; }),
          part_of<std::int64_t>(segments, [](const Segment& one) { return one.begin; }),
          part_of<std::int64_t>(segments, [](const Segment& one) { return one.end; }),
          part_of<std::int64_t>(segments, [](const Segment& one) { return one.link; })};
}

/// Senders, receivers, tags, bytes, begins and ends.
using DeliveryColumns = std::tuple<Row<std::int64_t>, Row<std::int64_t>, Row<std::int64_t>, Row<std::int64_t>,
                                   Row<std::int64_t>, Row<std::int64_t>>;

DeliveryColumns delivery_columns(const std::vector<Delivery>& all) {
  const auto column = [&](auto part) { return part_of<std::int64_t>(all, part); };
  return {column([](const Delivery& one) { return one.sender; }),
          column([](const Delivery& one) { return one.receiver; }),
          column([](const Delivery& one) { return one.tag; }),
          column([](const Delivery& one) { return one.bytes; }),
          column([](const Delivery& one) { return one.begin; }),
          column([](const Delivery& one) { return one.end; })};
}

std::tuple<Row<std::int64_t>, Row<double>, Row<double>>
link_columns(const std::vector<model::LinkLoad>& loads) {
  std::vector<std::int64_t> links;
  std::vector<double> bytes;
  std::vector<double> busy;
  for (const model::LinkLoad& load : loads) {
    links.push_back(load.link);
    bytes.push_back(load.bytes);
    busy.push_back(load.busy);
  }
  return {row_of(std::move(links)), row_of(std::move(bytes)), row_of(std::move(busy))};
}

/// Lets the caller's function say that it goes on, and hears of interrupts.
void report(const nb::object& progress, std::uint64_t events) {
  const nb::gil_scoped_acquire held;
  if (PyErr_CheckSignals() != 0)
    throw nb::python_error();
  if (!progress.is_none())
    progress(events);
}

void bind_simulation(nb::module_& module) {
  nb::class_<Simulation>(module, "Simulation", "What a simulation says; times in nanoseconds.")
      .def_prop_ro("finish", [](const Simulation& self) { return self.result.finish; })
      .def_prop_ro("last_rank", [](const Simulation& self) { return self.result.last_rank; })
      .def_prop_ro(
          "ends", [](const Simulation& self) { return row_of(self.result.ends); }, nb::rv_policy::move)
      .def_prop_ro(
          "busy", [](const Simulation& self) { return row_of(self.result.busy); }, nb::rv_policy::move)
      .def_prop_ro("operations", [](const Simulation& self) { return self.result.operations; })
      .def_prop_ro("messages", [](const Simulation& self) { return self.result.messages; })
      .def_prop_ro("events", [](const Simulation& self) { return self.result.events; })
      .def_prop_ro("packets", [](const Simulation& self) { return self.result.packets; })
      .def_prop_ro("packet_hops", [](const Simulation& self) { return self.result.packet_hops; })
      .def_prop_ro("fingerprint", [](const Simulation& self) { return simulate::fingerprint(self.result); })
      .def(
          "path", [](const Simulation& self) { return columns(self.result.path); },
          "The critical path: ranks, kinds, begins, ends and links.")
      .def(
          "path_by_kind", [](const Simulation& self) { return simulate::by_kind(self.result.path); },
          "How long each kind of cost is on the critical path.")
      .def(
          "timeline", [](const Simulation& self) { return columns(self.timeline); },
          "What all processors did when: ranks, kinds, begins, ends and links.")
      .def(
          "deliveries", [](const Simulation& self) { return delivery_columns(self.deliveries); },
          "The messages of the timeline: senders, receivers, tags, bytes, begins and ends.")
      .def(
          "path_by_link", [](const Simulation& self) { return simulate::by_link(self.result.path); },
          "The links on the critical path with their nanoseconds there, longest first.")
      .def(
          "links", [](const Simulation& self) { return link_columns(self.result.links); },
          "What links carried: their numbers, bytes, and the nanoseconds that these take them.");
  module.def("cost_kinds", [] {
    std::vector<std::string> names;
    for (std::size_t kind = 0; kind < simulate::cost_kinds; ++kind)
      names.emplace_back(name(static_cast<CostKind>(kind)));
    return names;
  });
}

simulate::Ties parse_ties(std::string_view text) {
  if (text == "order")
    return simulate::Ties::in_order;
  if (text == "loggopsim")
    return simulate::Ties::as_loggopsim;
  throw Error("ties " + std::string(text), "choose order or loggopsim");
}

void bind_rank_networks(nb::module_& module) {
  nb::class_<RankNetwork>(module, "RankNetwork", "What lies between the ranks of a simulated program.")
      .def(
          "__init__",
          [](RankNetwork* self, const InterconnectHandle& interconnect,
             const RowArgument<std::int64_t>& nodes, std::int64_t hop_latency, bool shares_links) {
            new (self) RankNetwork{interconnect.held, vector_of(nodes), hop_latency, shares_links};
          },
          nb::arg("interconnect"), nb::arg("nodes"), nb::arg("hop_latency"), nb::arg("shares_links"),
          "Of ranks on these nodes; the latency of a link is in nanoseconds.")
      .def(
          "use_packets",
          [](RankNetwork& self, const simulate::packet::RouterOptions& routers, const std::string& routing,
             std::uint32_t window, std::uint64_t turnaround) {
            simulate::packet::check(routers);
            self.packets = simulate::PacketLevel{{routers, window, turnaround}, routing};
          },
          nb::arg("routers"), nb::arg("routing"), nb::arg("window"), nb::arg("turnaround"),
          "Messages become packets. Rates and the channels' delay are not the routers' but the messages'.");
}

void bind_shared_cores(nb::module_& module) {
  nb::class_<SharedCores>(module, "SharedCores", "Machines whose ranks share their cores.")
      .def(
          "__init__",
          [](SharedCores* self, const RowArgument<std::uint32_t>& machines, std::uint32_t cores,
             std::int64_t switching) {
            new (self) SharedCores{vector_of(machines), cores, switching};
          },
          nb::arg("machines"), nb::arg("cores"), nb::arg("switching"),
          "The machine of each rank, the cores of each machine, and the nanoseconds to hand one over.");
}

void bind_program(nb::module_& module) {
  nb::class_<SimulatedProgram>(module, "SimulatedProgram",
                               "What ranks send, receive and compute, with costs.")
      .def_prop_ro("ranks",
                   [](const SimulatedProgram& self) {
                     return self.program.folded == 0 ? self.program.size() : self.program.folded;
                   })
      .def_prop_ro("operations", [](const SimulatedProgram& self) { return self.program.operation_count; })
      .def_prop_ro("patterns", [](const SimulatedProgram& self) { return self.program.patterns.size(); })
      .def_ro("looked_at", &SimulatedProgram::looked_at,
              "How many ranks were found alike, where one stands for all; else 0.")
      .def_prop_ro(
          "like_rounds",
          [](const SimulatedProgram& self) {
            return self.program.folded == 0 ? 0 : simulate::like_rounds(self.program);
          },
          "How many rounds that are alike the shortest of its rows of them has, where one rank stands for "
          "all.")
      .def(
          "with_fewer_rounds",
          [](const SimulatedProgram& self, std::uint32_t removed) {
            if (removed == 0 || self.program.folded == 0 || removed >= simulate::like_rounds(self.program))
              throw Error(fmt::format("{} rounds to leave out", removed), "leave out fewer than like_rounds");
            return SimulatedProgram{simulate::with_fewer_rounds(self.program, removed), self.looked_at};
          },
          nb::arg("removed"), nb::call_guard<nb::gil_scoped_release>(),
          "The same of all ranks, with so many rounds less in each of its rows of like rounds.")
      .def(
          "run",
          [](const SimulatedProgram& self, std::string_view ties, std::uint64_t explained_max,
             bool has_timeline, const nb::object& progress, const RankNetwork* network,
             std::string_view noise, const SharedCores* cores) {
            const SimulationOptions options{parse_ties(ties),
                                            explained_max,
                                            has_timeline,
                                            network,
                                            [&](std::uint64_t events) { report(progress, events); },
                                            noise.empty() ? simulate::Noise{} : simulate::parse_noise(noise),
                                            cores == nullptr ? SharedCores{} : *cores};
            const nb::gil_scoped_release released;
            return simulate::simulate(self.program, options);
          },
          nb::arg("ties"), nb::arg("explained_max"), nb::arg("has_timeline"), nb::arg("progress").none(),
          nb::arg("network").none() = nullptr, nb::arg("noise") = "", nb::arg("cores").none() = nullptr);
  module.def(
      "check_noise",
      [](std::string_view text, std::string name) {
        static_cast<void>(simulate::MeasuredNoise(text, std::move(name)));
      },
      nb::arg("text"), nb::arg("name"), "Refuse what is no file of measured noise, with its line.");
  module.def(
      "check_noise_words", [](std::string_view words) { static_cast<void>(simulate::parse_noise(words)); },
      nb::arg("words"), "Refuse what is no PERIOD,DURATION or the like.");
}

} // namespace

void bind_simulations(nb::module_& module) {
  bind_simulation(module);
  bind_rank_networks(module);
  bind_shared_cores(module);
  bind_program(module);
  bind_simulated_programs(module);
}

} // namespace thalweg::python

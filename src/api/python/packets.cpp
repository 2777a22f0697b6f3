// SPDX-License-Identifier: BSD-3-Clause
#include "base/error.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"
#include "python/interconnects.hpp"
#include "simulate/packet/messages.hpp"
#include "simulate/packet/permutations.hpp"
#include "simulate/packet/routing.hpp"
#include "simulate/packet/traffic.hpp"

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <tuple>

namespace thalweg::python {

namespace {

namespace packet = simulate::packet;
using packet::RouterOptions;

/// A fabric with its routers: what all simulations of packets need.
class PacketNetwork {
public:
  PacketNetwork(const InterconnectHandle& shape, std::string_view routing, const RouterOptions& routers)
      : fabric(shape.held), routes(packet::make_routing(routing, fabric)), options(routers) {
    packet::check(routers);
  }

  packet::Fabric fabric;
  std::unique_ptr<packet::Routing> routes;
  RouterOptions options;
};

template <typename Value>
void bind_choice(nb::class_<RouterOptions>& type, const char* name, Value RouterOptions::*member,
                 const std::vector<std::pair<std::string, Value>>& choices) {
  type.def_prop_rw(
      name,
      [=](const RouterOptions& self) {
        return std::ranges::find(choices, self.*member, &std::pair<std::string, Value>::second)->first;
      },
      [=](RouterOptions& self, std::string_view text) {
        const auto found = std::ranges::find(choices, text, &std::pair<std::string, Value>::first);
        if (found == choices.end()) {
          std::vector<std::string> names;
          std::ranges::transform(choices, std::back_inserter(names), &std::pair<std::string, Value>::first);
          throw Error(fmt::format("{} '{}'", name, text), fmt::format("choose {}", fmt::join(names, " or ")));
        }
        self.*member = found->second;
      });
}

void bind_options(nb::module_& module) {
  nb::class_<RouterOptions> type(module, "RouterOptions", "What routers are made of; times in picoseconds.");
  type.def(nb::init<>())
      .def_rw("packet_bytes", &RouterOptions::packet_bytes)
      .def_rw("bits_per_second", &RouterOptions::bits_per_second)
      .def_rw("channel_delay", &RouterOptions::channel_delay)
      .def_rw("switch_delay", &RouterOptions::switch_delay)
      .def_rw("buffers", &RouterOptions::buffers)
      .def_rw("combine_units", &RouterOptions::combine_units)
      .def_rw("cycle", &RouterOptions::cycle)
      .def_rw("element_cycles", &RouterOptions::element_cycles)
      .def_rw("element_bytes", &RouterOptions::element_bytes)
      .def_rw("seed", &RouterOptions::seed);
  bind_choice(type, "credits", &RouterOptions::credits,
              {{"crosspoint", packet::CreditRule::crosspoint}, {"link", packet::CreditRule::link}});
  bind_choice(type, "discipline", &RouterOptions::discipline,
              {{"output", packet::Discipline::output_queued}, {"input", packet::Discipline::input_queued}});
  bind_choice(type, "arbitration", &RouterOptions::arbitration,
              {{"round_robin", packet::Arbitration::round_robin},
               {"oldest", packet::Arbitration::oldest},
               {"fair", packet::Arbitration::fair}});
  bind_choice(type, "unit_subsets", &RouterOptions::unit_subsets,
              {{"fixed", packet::UnitSubsets::fixed}, {"round_robin", packet::UnitSubsets::round_robin}});
}

void bind_results(nb::module_& module) {
  using packet::LoadPoint;
  using packet::MessageTimes;
  nb::class_<LoadPoint>(module, "LoadPoint", "What a network does under a load; latencies in nanoseconds.")
      .def_ro("load", &LoadPoint::load)
      .def_prop_ro("accepted", [](const LoadPoint& self) { return self.accepted.mean; })
      .def_prop_ro("accepted_half_width", [](const LoadPoint& self) { return self.accepted.half_width; })
      .def_prop_ro("latency", [](const LoadPoint& self) { return self.latency.mean; })
      .def_prop_ro("latency_half_width", [](const LoadPoint& self) { return self.latency.half_width; })
      .def_ro("is_saturated", &LoadPoint::is_saturated)
      .def_ro("packets", &LoadPoint::packets)
      .def_ro("hops", &LoadPoint::hops)
      .def_ro("events", &LoadPoint::events)
      .def_ro("measured", &LoadPoint::measured)
      .def_ro("fingerprint", &LoadPoint::fingerprint);
  nb::class_<MessageTimes>(module, "MessageTimes", "When messages have come; picoseconds.")
      .def_ro("finish", &MessageTimes::finish)
      .def_prop_ro(
          "ends", [](const MessageTimes& self) { return row_of(self.ends); }, nb::rv_policy::move)
      .def_ro("packets", &MessageTimes::packets)
      .def_ro("hops", &MessageTimes::hops)
      .def_ro("events", &MessageTimes::events)
      .def_ro("fingerprint", &MessageTimes::fingerprint);
}

/// Hears of interrupts, now and then amid a simulation.
void look() {
  const nb::gil_scoped_acquire held;
  if (PyErr_CheckSignals() != 0)
    throw nb::python_error();
}

packet::LoadPoint measure(const PacketNetwork& self, const std::string& pattern, double load,
                          std::uint32_t senders, std::uint32_t fanout, std::uint32_t sets,
                          std::uint64_t interface_latency, std::uint64_t packets,
                          const nb::object& progress) {
  const packet::Traffic traffic{pattern, senders, fanout, sets, interface_latency, packets};
  const nb::gil_scoped_release released;
  return packet::measure_load(self.fabric, *self.routes, self.options, traffic, load, [&](int batches_done) {
    look();
    const nb::gil_scoped_acquire held;
    if (!progress.is_none())
      progress(batches_done);
  });
}

packet::MessageTimes send_to(const PacketNetwork& self, const RowArgument<std::uint32_t>& destinations,
                             std::uint64_t bytes, const packet::Interface& interface) {
  if (destinations.size() != self.fabric.nodes())
    throw Error(fmt::format("{} destinations for {} nodes", destinations.size(), self.fabric.nodes()),
                "give one for each");
  std::vector<packet::Message> messages;
  for (std::uint32_t node = 0; node < self.fabric.nodes(); ++node)
    if (const std::uint32_t to = destinations.data()[node]; to != node)
      messages.push_back({.from = node, .to = to, .bytes = bytes});
  const nb::gil_scoped_release released;
  return packet::run_messages(self.fabric, *self.routes, self.options, interface, nullptr, messages, look);
}

packet::MessageTimes reduce(const PacketNetwork& self, const RowArgument<std::uint32_t>& members,
                            std::uint32_t root, std::uint64_t bytes, std::uint32_t reductions,
                            const packet::Interface& interface) {
  const std::vector<std::uint32_t> nodes = vector_of(members);
  const nb::gil_scoped_release released;
  return packet::run_reduction(self.fabric, *self.routes, self.options, interface, nodes, root, bytes,
                               reductions, look);
}

packet::MessageTimes molecular_dynamics(const PacketNetwork& self, std::uint32_t senders,
                                        std::uint32_t fanout, std::uint64_t bytes, std::uint32_t rounds,
                                        bool is_in_switches, const packet::Interface& interface) {
  const nb::gil_scoped_release released;
  return packet::run_molecular_dynamics(self.fabric, *self.routes, self.options, interface,
                                        {senders, fanout, bytes, rounds, is_in_switches}, look);
}

std::tuple<std::uint32_t, bool, std::int32_t, std::int64_t>
contention(const PacketNetwork& self, const RowArgument<std::uint32_t>& destinations) {
  const packet::Contention found = packet::find_contention(self.fabric, span_of(destinations));
  return {found.by_destination, found.is_free_any_way, found.level, found.subtree};
}

} // namespace

void bind_packets(nb::module_& module) {
  bind_options(module);
  bind_results(module);
  nb::class_<packet::Interface>(module, "PacketInterface", "What network interfaces take; picoseconds.")
      .def(nb::init<packet::Ticks, packet::Ticks, bool>(), nb::arg("send"), nb::arg("receive"),
           nb::arg("is_occupied"));
  nb::class_<PacketNetwork>(module, "PacketNetwork", "Routers on an interconnect.")
      .def(nb::init<const InterconnectHandle&, std::string_view, const RouterOptions&>(), nb::arg("shape"),
           nb::arg("routing"), nb::arg("options"))
      .def_prop_ro("nodes", [](const PacketNetwork& self) { return self.fabric.nodes(); })
      .def_prop_ro("switches",
                   [](const PacketNetwork& self) { return self.fabric.vertices() - self.fabric.nodes(); })
      .def_prop_ro("virtual_channels",
                   [](const PacketNetwork& self) { return self.routes->virtual_channels(); })
      .def("measure", &measure, nb::arg("pattern"), nb::arg("load"), nb::arg("senders"), nb::arg("fanout"),
           nb::arg("sets"), nb::arg("interface_latency"), nb::arg("packets"), nb::arg("progress").none(),
           "What the network does under a load.")
      .def("send_to", &send_to, nb::arg("destinations"), nb::arg("bytes"), nb::arg("interface"),
           "When each node's message to its destination has come, all beginning at once.")
      .def("reduce", &reduce, nb::arg("members"), nb::arg("root"), nb::arg("bytes"), nb::arg("reductions"),
           nb::arg("interface"))
      .def("molecular_dynamics", &molecular_dynamics, nb::arg("senders"), nb::arg("fanout"), nb::arg("bytes"),
           nb::arg("rounds"), nb::arg("is_in_switches"), nb::arg("interface"))
      .def("contention", &contention, nb::arg("destinations"),
           "The largest load of a channel by destination; is it free any way; else level and subtree.");
  module.def(
      "destinations",
      [](std::string_view pattern, std::uint32_t nodes, std::uint64_t seed) {
        return row_of(packet::parse_destinations(pattern, nodes, seed));
      },
      nb::arg("pattern"), nb::arg("nodes"), nb::arg("seed"), "Where each node sends to; none for uniform.");
}

} // namespace thalweg::python

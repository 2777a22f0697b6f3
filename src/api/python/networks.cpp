// SPDX-License-Identifier: BSD-3-Clause
#include "python/bindings.hpp"

#include "machine/host_places.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>
#include <utility>

namespace thalweg::python {

void bind_networks(nb::module_& module) {
  using topology::Network;
  using topology::NodePlaces;
  nb::class_<NodePlaces>(module, "NodePlaces",
                         "Where a job's nodes are in a network of that shape and so many hosts.")
      .def(
          "__init__",
          [](NodePlaces* self, std::string network, std::int32_t hosts, std::vector<std::int32_t> places) {
            new (self) NodePlaces{std::move(network), hosts, std::move(places)};
          },
          nb::arg("network") = "", nb::arg("hosts") = 0, nb::arg("places") = std::vector<std::int32_t>{})
      .def_ro("network", &NodePlaces::network)
      .def_ro("hosts", &NodePlaces::hosts)
      .def_ro("places", &NodePlaces::places)
      .def(
          "why_unknown",
          [](const NodePlaces& self, std::int32_t nodes) {
            return topology::locate(self, nodes).why_unknown;
          },
          nb::arg("nodes"), "Why the shape cannot be used for so many nodes; empty where it can.")
      .def(
          "leaves",
          [](const NodePlaces& self, const std::vector<std::int32_t>& nodes) {
            return topology::leaves_of(self, nodes);
          },
          nb::arg("nodes"),
          "The switch of each rank's node, from 0 in order of first appearance; empty where the network is "
          "not known, or where all are on one switch.");
  module.def(
      "node_places",
      [](const std::string& text, const std::vector<std::string>& hosts, const std::string& shape,
         const std::string& name) { return machine::parse_host_places(text, shape, name).of(hosts); },
      nb::arg("text"), nb::arg("hosts"), nb::arg("shape"), nb::arg("name"),
      "Reads the places of a job's hosts from a list, whose first line may name the network's shape instead "
      "of `shape`. Raises Error, in which the list is called `name`.");
  nb::class_<Network>(module, "Network", "Hosts 0 .. hosts-1 and switches from there on, with fixed routes.")
      .def(nb::init<std::string_view, std::int32_t>(), nb::arg("shape"), nb::arg("hosts"))
      .def_prop_ro("shape", &Network::shape)
      .def_prop_ro("hosts", &Network::hosts)
      .def_prop_ro("switches", &Network::switches)
      .def("switch_of", &Network::switch_of, nb::arg("host"))
      .def_prop_ro("links",
                   [](const Network& self) {
                     std::vector<std::vector<std::int32_t>> links;
                     for (const topology::NetworkLink& link : self.links())
                       links.push_back({link.from, link.to});
                     return links;
                   })
      .def("forwarding", &Network::forwarding, nb::arg("host"),
           "Where packets for a host go from each switch; -1 where none comes by.");
}

} // namespace thalweg::python

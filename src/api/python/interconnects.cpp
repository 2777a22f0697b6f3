// SPDX-License-Identifier: BSD-3-Clause
#include "python/interconnects.hpp"

#include "base/error.hpp"
#include "machine/allocation.hpp"
#include "machine/node_list.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"
#include "topology/graph_file.hpp"
#include "topology/grid.hpp"
#include "topology/tour.hpp"

#include <fmt/format.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>
#include <utility>

namespace thalweg::python {

void bind_grids(nb::module_& module) {
  using topology::Grid;
  using topology::Place;
  nb::class_<Grid>(module, "Grid", "A mesh or torus; a place's number has coordinate 0 vary fastest.")
      .def(
          "__init__", [](Grid* self, std::string_view name) { new (self) Grid(topology::parse_grid(name)); },
          nb::arg("name"))
      .def_prop_ro("name", &Grid::name)
      .def_prop_ro("extents", &Grid::extents)
      .def_prop_ro("wraps", &Grid::wraps)
      .def_prop_ro("places", &Grid::places)
      .def_prop_ro("diameter", &Grid::diameter)
      .def("hops", &Grid::hops, nb::arg("a"), nb::arg("b"));
  module.def(
      "tour",
      [](const Grid& grid, const RowArgument<Place>& places) {
        return row_of(topology::tour(grid, span_of(places)));
      },
      nb::arg("grid"), nb::arg("places"),
      "An order of places in which neighbors are near, by Hilbert curves; as indices.");
}

namespace {

using topology::Interconnect;
using topology::Link;
using topology::LinkShare;
using topology::Place;

const Interconnect& inside(const InterconnectHandle& self, std::span<const Place> nodes) {
  for (const Place node : nodes)
    if (node < 0 || node >= self.held->nodes())
      throw Error(fmt::format("node {} is outside of {}", node, self.held->name()),
                  fmt::format("nodes are 0 to {}", self.held->nodes() - 1));
  return *self.held;
}

void check_pairs(std::size_t from, std::size_t to) {
  if (from != to)
    throw Error(fmt::format("{} nodes to send from, and {} to send to", from, to), "give as many of both");
}

Row<std::int64_t> hops_between(const InterconnectHandle& self, const RowArgument<Place>& from,
                               const RowArgument<Place>& to) {
  check_pairs(from.size(), to.size());
  inside(self, span_of(from));
  const Interconnect& machine = inside(self, span_of(to));
  std::vector<std::int64_t> hops(from.size());
  for (std::size_t pair = 0; pair < from.size(); ++pair)
    hops[pair] = machine.hops(from.data()[pair], to.data()[pair]);
  return row_of(std::move(hops));
}

std::pair<Row<Link>, Row<double>> route(const InterconnectHandle& self, Place from, Place to) {
  std::vector<LinkShare> shares;
  inside(self, std::vector{from, to}).append_route(from, to, shares);
  std::vector<Link> links;
  std::vector<double> parts;
  for (const LinkShare& share : shares) {
    links.push_back(share.link);
    parts.push_back(share.share);
  }
  return {row_of(std::move(links)), row_of(std::move(parts))};
}

Row<double> link_loads(const InterconnectHandle& self, const RowArgument<Place>& from,
                       const RowArgument<Place>& to, const RowArgument<double>& bytes) {
  check_pairs(from.size(), to.size());
  check_pairs(from.size(), bytes.size());
  inside(self, span_of(from));
  const Interconnect& machine = inside(self, span_of(to));
  std::vector<double> loads(static_cast<std::size_t>(machine.links()));
  std::vector<LinkShare> shares;
  for (std::size_t pair = 0; pair < from.size(); ++pair) {
    shares.clear();
    machine.append_route(from.data()[pair], to.data()[pair], shares);
    for (const LinkShare& share : shares)
      loads[static_cast<std::size_t>(share.link)] += share.share * bytes.data()[pair];
  }
  return row_of(std::move(loads));
}

std::pair<std::int64_t, std::int64_t> ends(const InterconnectHandle& self, Link link) {
  const topology::LinkEnds ends = self.held->ends(link);
  return {ends.from, ends.to};
}

void check_link(const InterconnectHandle& self, Link link) {
  if (link < 0 || link >= self.held->links())
    throw Error(fmt::format("link {} is none of {}", link, self.held->name()),
                fmt::format("links are 0 to {}", self.held->links() - 1));
}

using Bound = nb::class_<InterconnectHandle>;

Bound bind_figures(nb::module_& module) {
  Bound type(module, "Interconnect", "What lies between a machine's nodes; docs/machines.md has the names.");
  type.def(
          "__init__",
          [](InterconnectHandle* self, std::string_view name, Place nodes) {
            new (self) InterconnectHandle{topology::parse_interconnect(name, nodes)};
          },
          nb::arg("name"), nb::arg("nodes") = 0)
      .def_prop_ro("name", [](const InterconnectHandle& self) { return self.held->name(); })
      .def_prop_ro("nodes", [](const InterconnectHandle& self) { return self.held->nodes(); })
      .def_prop_ro("rank_nodes", [](const InterconnectHandle& self) { return self.held->rank_nodes(); })
      .def_prop_ro("vertices", [](const InterconnectHandle& self) { return self.held->vertices(); })
      .def_prop_ro("links", [](const InterconnectHandle& self) { return self.held->links(); })
      .def_prop_ro("diameter", [](const InterconnectHandle& self) { return self.held->diameter(); })
      .def_prop_ro("mean_hops", [](const InterconnectHandle& self) { return self.held->mean_hops(); })
      .def_prop_ro("bisection", [](const InterconnectHandle& self) { return self.held->bisection(); })
      .def_prop_ro("spreads", [](const InterconnectHandle& self) { return self.held->spreads(); })
      .def_prop_ro(
          "grid", [](const InterconnectHandle& self) { return self.held->switch_grid(); },
          nb::rv_policy::reference_internal, "Of the switches, where they are on a mesh or torus.");
  return type;
}

void bind_routes(Bound& type) {
  type.def("hops", &hops_between, nb::arg("a"), nb::arg("b"))
      .def("route", &route, nb::arg("a"), nb::arg("b"), "Links, and the part of the bytes that each carries.")
      .def("link_loads", &link_loads, nb::arg("a"), nb::arg("b"), nb::arg("bytes"))
      .def(
          "capacity",
          [](const InterconnectHandle& self, Link link) {
            check_link(self, link);
            return self.held->capacity(link);
          },
          nb::arg("link"))
      .def(
          "link_name",
          [](const InterconnectHandle& self, Link link) {
            check_link(self, link);
            return self.held->link_name(link);
          },
          nb::arg("link"))
      .def(
          "ends",
          [](const InterconnectHandle& self, Link link) {
            check_link(self, link);
            return ends(self, link);
          },
          nb::arg("link"), "The vertices that a link comes from and leads to; -1 where there is no link.")
      .def(
          "node_named",
          [](const InterconnectHandle& self, std::string_view name) { return self.held->node_named(name); },
          nb::arg("name"))
      .def(
          "switch_places",
          [](const InterconnectHandle& self, const RowArgument<Place>& nodes) {
            const Interconnect& machine = inside(self, span_of(nodes));
            std::vector<Place> places(nodes.size());
            for (std::size_t index = 0; index < nodes.size(); ++index)
              places[index] = machine.switch_place(nodes.data()[index]);
            return row_of(std::move(places));
          },
          nb::arg("nodes"))
      .def("nodes_for_ranks",
           [](const InterconnectHandle& self) { return row_of(machine::nodes_for_ranks(*self.held)); });
}

} // namespace

void bind_interconnects(nb::module_& module) {
  Bound type = bind_figures(module);
  bind_routes(type);
  module.def(
      "parse_graph",
      [](std::string_view text, const std::string& file) {
        return InterconnectHandle{topology::parse_graph(text, file)};
      },
      nb::arg("text"), nb::arg("file"));
  module.def(
      "slots",
      [](const InterconnectHandle& machine, const RowArgument<Place>& nodes,
         const RowArgument<std::int32_t>& slots) {
        return row_of(machine::make_allocation(machine.held, span_of(nodes), span_of(slots)).slots);
      },
      nb::arg("machine"), nb::arg("nodes"), nb::arg("slots_per_node"), "The node of each slot.");
  module.def(
      "parse_node_list",
      [](const std::string& text, const InterconnectHandle& machine, const std::string& name) {
        return machine::parse_hosts_of(*machine.held, text, name).hosts();
      },
      nb::arg("text"), nb::arg("machine"), nb::arg("name"), "Hosts with their nodes.");
}

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

#include "python/bindings.hpp"

#include "topology/network.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>
#include <utility>

namespace thalweg::python {

void bind_networks(nb::module_& module) {
  using topology::Network;
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

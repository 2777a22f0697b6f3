// SPDX-License-Identifier: BSD-3-Clause
#include "machine/machine.hpp"
#include "python/bindings.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

namespace thalweg::python {

using machine::DeviceCosts;
using machine::Figure;
using machine::Level;
using machine::LevelCosts;
using machine::Machine;
using machine::MessageCost;
using machine::Rate;

namespace {

void bind_costs(nb::module_& module) {
  nb::class_<Figure>(module, "Figure",
                     "A measured figure: the median, and a tenth and nine tenths of the measurements.")
      .def(nb::init<double, double, double>(), nb::arg("value"), nb::arg("low"), nb::arg("high"))
      .def_rw("value", &Figure::value)
      .def_rw("low", &Figure::low)
      .def_rw("high", &Figure::high);
  nb::enum_<Level>(module, "Level")
      .value("core_complex", Level::core_complex)
      .value("socket", Level::socket)
      .value("node", Level::node)
      .value("network", Level::network);
  nb::class_<MessageCost>(module, "MessageCost",
                          "LogGP parameters of messages of up to bytes_max; seconds, bytes and factors.")
      .def(nb::init<>())
      .def_rw("bytes_max", &MessageCost::bytes_max)
      .def_rw("latency", &MessageCost::latency)
      .def_rw("send", &MessageCost::send)
      .def_rw("send_per_byte", &MessageCost::send_per_byte)
      .def_rw("receive", &MessageCost::receive)
      .def_rw("receive_per_byte", &MessageCost::receive_per_byte)
      .def_rw("gap", &MessageCost::gap)
      .def_rw("gap_per_byte", &MessageCost::gap_per_byte)
      .def_rw("unexpected", &MessageCost::unexpected)
      .def_rw("unexpected_per_byte", &MessageCost::unexpected_per_byte)
      .def_rw("overlapped", &MessageCost::overlapped)
      .def_rw("overlapped_per_byte", &MessageCost::overlapped_per_byte)
      .def_rw("two_way", &MessageCost::two_way)
      .def_rw("shared", &MessageCost::shared);
  nb::class_<Rate>(module, "Rate", "Seconds per byte at working sets of up to bytes_max.")
      .def(nb::init<std::int64_t, Figure>(), nb::arg("bytes_max"), nb::arg("per_byte"))
      .def_rw("bytes_max", &Rate::bytes_max)
      .def_rw("per_byte", &Rate::per_byte);
  nb::class_<LevelCosts>(module, "LevelCosts", "Costs between ranks that are so far apart.")
      .def(nb::init<>())
      .def_rw("level", &LevelCosts::level)
      .def_rw("ranges", &LevelCosts::ranges, copies, "Copies: assign them to change them.")
      .def_rw("burst_bytes", &LevelCosts::burst_bytes)
      .def_rw("pairs", &LevelCosts::pairs)
      .def_rw("samples", &LevelCosts::samples)
      .def_rw("outliers", &LevelCosts::outliers)
      .def_rw("worst", &LevelCosts::worst);
  nb::class_<DeviceCosts>(module, "DeviceCosts", "What network devices that run a collective cost; seconds.")
      .def(nb::init<>())
      .def_rw("start", &DeviceCosts::start)
      .def_rw("hop", &DeviceCosts::hop)
      .def_rw("wake", &DeviceCosts::wake)
      .def_prop_ro("is_known", &DeviceCosts::is_known);
}

} // namespace

void bind_machines(nb::module_& module) {
  bind_costs(module);
  nb::class_<Machine>(module, "Machine", "What predictions need to know of a machine.")
      .def(nb::init<>())
      .def_rw("title", &Machine::title)
      .def_rw("parts", &Machine::parts)
      .def_rw("mpi", &Machine::mpi)
      .def_rw("transport", &Machine::transport)
      .def_rw("date", &Machine::date)
      .def_rw("cores", &Machine::cores)
      .def_rw("nodes_per_machine", &Machine::nodes_per_machine)
      .def_rw("levels", &Machine::levels, copies, "Copies: assign them to change them.")
      .def_rw("copy", &Machine::copy, copies)
      .def_rw("combine", &Machine::combine, copies)
      .def_rw("switch_core", &Machine::switch_core)
      .def_rw("step", &Machine::step)
      .def_rw("device", &Machine::device)
      .def_rw("network", &Machine::network)
      .def_prop_rw(
          "nodes", [](const Machine& self) { return self.nodes.hosts(); },
          [](Machine& self, const std::vector<std::pair<std::string, topology::Place>>& hosts) {
            self.nodes = {};
            for (const auto& [host, place] : hosts)
              self.nodes.add(host, place);
          },
          "Hosts with their nodes.")
      .def(
          "to_text", [](const Machine& self) { return machine::to_text(self); }, "The machine file's text.");
  module.def("parse_machine", &machine::parse_machine, nb::arg("text"), nb::arg("name"));
  module.def("load_machine", &machine::load_machine, nb::arg("file"));
  module.def("default_machine", &machine::default_machine);
}

} // namespace thalweg::python

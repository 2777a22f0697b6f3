// SPDX-License-Identifier: BSD-3-Clause
#include "machine/machine.hpp"
#include "python/bindings.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

namespace thalweg::python {

using machine::CoreDistances;
using machine::DeviceCosts;
using machine::DistanceClass;
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
      .def_rw("shared", &MessageCost::shared)
      .def_rw("trip_two_way", &MessageCost::trip_two_way)
      .def_rw("trip_shared", &MessageCost::trip_shared)
      .def_rw("trip_shared_two_way", &MessageCost::trip_shared_two_way)
      .def_rw("overlapped_shared", &MessageCost::overlapped_shared)
      .def_rw("overlapped_shared_per_byte", &MessageCost::overlapped_shared_per_byte);
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
      .def_rw("worst", &LevelCosts::worst)
      .def_rw("round_trip", &LevelCosts::round_trip,
              "Of a cache line between the pair's cores; 0: not known.")
      .def_rw("per_posted", &LevelCosts::per_posted, "Of each further receive that is posted; 0: not known.")
      .def_rw("hops", &LevelCosts::hops, "Between the pair's nodes; 0: not known.")
      .def_rw("hop", &LevelCosts::hop, "What each further hop adds to a latency.")
      .def_rw("hop_per_byte", &LevelCosts::hop_per_byte, "And to gap_per_byte.");
  nb::class_<DeviceCosts>(module, "DeviceCosts", "What network devices that run a collective cost; seconds.")
      .def(nb::init<>())
      .def_rw("start", &DeviceCosts::start)
      .def_rw("hop", &DeviceCosts::hop)
      .def_rw("wake", &DeviceCosts::wake)
      .def_prop_ro("is_known", &DeviceCosts::is_known);
}

using CoreGroups = std::vector<std::vector<std::int32_t>>;

void bind_distances(nb::module_& module) {
  nb::class_<DistanceClass>(module, "DistanceClass",
                            "Pairs of cores that are about equally far apart: seconds for a cache line there "
                            "and back, seconds per byte, and the cores of each group.")
      .def(
          "__init__",
          [](DistanceClass* self, const Figure& round_trip, const Figure& write_per_byte,
             const Figure& read_per_byte, const CoreGroups& groups) {
            new (self) DistanceClass{round_trip, write_per_byte, read_per_byte};
            self->set_groups(groups);
          },
          nb::arg("round_trip"), nb::arg("write_per_byte"), nb::arg("read_per_byte"), nb::arg("groups"))
      .def_ro("round_trip", &DistanceClass::round_trip)
      .def_ro("write_per_byte", &DistanceClass::write_per_byte)
      .def_ro("read_per_byte", &DistanceClass::read_per_byte)
      .def_prop_ro("groups", &DistanceClass::groups);
  nb::class_<CoreDistances>(module, "CoreDistances", "How far a node's cores are apart, by classes of pairs.")
      .def(nb::init<>())
      .def_rw("classes", &CoreDistances::classes, copies,
              "Nearest first. Copies: assign them to change them.")
      .def_rw("looks", &CoreDistances::looks)
      .def_rw("changes", &CoreDistances::changes,
              "Pairs that were not of one class each time they were measured.")
      .def_prop_ro("is_known", &CoreDistances::is_known)
      .def(
          "between",
          [](const CoreDistances& self, std::int32_t one,
             std::int32_t other) -> std::optional<DistanceClass> {
            const DistanceClass* const found = self.between(one, other);
            return found == nullptr ? std::nullopt : std::optional(*found);
          },
          nb::arg("one"), nb::arg("other"), "The class of two cores; None where they were not measured.");
  module.def("cores_text", &machine::cores_text, nb::arg("cores"), "Cores as 0-3,8.");
}

} // namespace

void bind_machines(nb::module_& module) {
  bind_costs(module);
  bind_distances(module);
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
      .def_rw("distances", &Machine::distances)
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

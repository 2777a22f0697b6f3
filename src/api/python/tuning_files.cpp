// SPDX-License-Identifier: BSD-3-Clause
#include "python/bindings.hpp"

#include "base/error.hpp"
#include "tune/tuning_file.hpp"

#include <charconv>
#include <fmt/format.h>
#include <map>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

namespace thalweg::python {

namespace {

using machine::Fingerprint;
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
  nb::class_<Pick>(module, "Pick", "What was found best for one case.")
      .def(nb::init<>())
      .def_rw("call", &Pick::call)
      .def_rw("ranks", &Pick::ranks)
      .def_rw("nodes", &Pick::nodes)
      .def_rw("bytes", &Pick::bytes)
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
          "What runs where that does not take effect; empty: native.");
  nb::class_<Tuning>(module, "Tuning", "What is known of one machine.")
      .def(nb::init<>())
      .def_rw("machine", &Tuning::machine)
      .def_rw("picks", &Tuning::picks, copies, "Copies: assign them to change them.")
      .def_rw("nonblocking", &Tuning::nonblocking, copies,
              "Of nonblocking calls, with the time that they hold up a rank which computes meanwhile.");
  module.def("local_fingerprint", &local_fingerprint, nb::arg("environment"),
             "Fills in processor, kernel and the environment's transport; the rest is a job's to know.");
  module.def("load_tuning", &tune::load_tuning, nb::arg("path"),
             "Reads a tuning file; one that is not there is empty.");
  module.def("save_tuning", &tune::save_tuning, nb::arg("path"), nb::arg("found"),
             "Merges into the file under a lock and replaces it atomically.");
}

} // namespace thalweg::python

#include "python/bindings.hpp"

#include "core/error.hpp"
#include "tune/tuning_file.hpp"

#include <charconv>
#include <map>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
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
      .def_rw("use", &Pick::use)
      .def_rw("seconds", &Pick::seconds)
      .def_rw("native_seconds", &Pick::native_seconds)
      .def_rw("trials", &Pick::trials)
      .def_rw("source", &Pick::source)
      .def_rw("fallback", &Pick::fallback);
  nb::class_<Tuning>(module, "Tuning", "What is known of one machine.")
      .def(nb::init<>())
      .def_rw("machine", &Tuning::machine)
      .def_rw("picks", &Tuning::picks);
  module.def("local_fingerprint", &local_fingerprint, nb::arg("environment"),
             "Fills in processor, kernel and the environment's transport; the rest is a job's to know.");
  module.def("load_tuning", &tune::load_tuning, nb::arg("path"),
             "Reads a tuning file; one that is not there is empty.");
  module.def("save_tuning", &tune::save_tuning, nb::arg("path"), nb::arg("found"),
             "Merges into the file under a lock and replaces it atomically.");
}

} // namespace thalweg::python

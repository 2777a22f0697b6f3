// SPDX-License-Identifier: BSD-3-Clause
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/host_names.hpp"
#include "python/bindings.hpp"

#include <cerrno>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

namespace {

/// A message as Python has text: a file's bytes in it need not be UTF-8.
nb::object text_of(const std::string& text) {
  return nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

/// Raises thalweg._core.Error(problem, remedy) in Python for what the core throws.
void register_error(nb::module_& module) {
  static nb::handle type = nb::exception<thalweg::Error>(module, "Error").release();
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const thalweg::Error& error) {
      PyErr_SetObject(type.ptr(), nb::make_tuple(text_of(error.problem()), text_of(error.remedy())).ptr());
    }
  });
}

} // namespace

namespace thalweg::python {

void bind_files(nb::module_& module) {
  module.def(
      "read_text",
      [](const std::string& path, const std::string& remedy) {
        std::string text;
        {
          const nb::gil_scoped_release released; // a pipe may be slow
          text = read_text(path, remedy);
        }
        return nb::bytes(text.data(), text.size());
      },
      nb::arg("path"), nb::arg("remedy"), "A file of text, as bytes, without its byte order mark.");
  module.def(
      "write_file",
      [](const std::string& path, const nb::bytes& content) {
        std::error_code error;
        {
          const nb::gil_scoped_release released;
          error = write_file(path, {content.c_str(), content.size()});
        }
        if (error) {
          errno = error.value();
          PyErr_SetFromErrnoWithFilename(PyExc_OSError, path.c_str());
          throw nb::python_error();
        }
      },
      nb::arg("path"), nb::arg("content"),
      "Replaces a regular file as a whole; follows links, writes into devices and pipes. Raises OSError.");
  module.def("expand_names", &expand_names, nb::arg("names"), "Writes out n[001-016,020],login.");
  module.def("short_name", &short_name, nb::arg("host"), "A host's name without its domain.");
  module.def("is_same_host", &is_same_host, nb::arg("a"), nb::arg("b"));
}

} // namespace thalweg::python

NB_MODULE(_core, module) {
  nb::set_leak_warnings(false); // at the end of an interpreter, whoever still holds a strategy is no leak
  module.doc() = "Thalweg's core: the index of strategies, schedules and proofs.";
  register_error(module);
  thalweg::python::bind_index(module);
  thalweg::python::bind_files(module);
  thalweg::python::bind_networks(module);
  thalweg::python::bind_schedules(module);
  thalweg::python::bind_proofs(module);
  thalweg::python::bind_evidence(module);
  thalweg::python::bind_machines(module);
  thalweg::python::bind_tuning(module);
  thalweg::python::bind_tuning_files(module);
  thalweg::python::bind_grids(module);
  thalweg::python::bind_interconnects(module);
  thalweg::python::bind_balance(module);
  thalweg::python::bind_recordings(module);
  thalweg::python::bind_traces(module);
  thalweg::python::bind_simulations(module);
  thalweg::python::bind_packets(module);
  thalweg::python::bind_placement(module);
  thalweg::python::bind_quadratic(module);
}

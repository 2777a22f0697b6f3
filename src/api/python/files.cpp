// SPDX-License-Identifier: BSD-3-Clause
#include "base/files.hpp"

#include "base/host_names.hpp"
#include "python/bindings.hpp"

#include <cerrno>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

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

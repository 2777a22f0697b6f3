// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/form.hpp"

#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

namespace thalweg::mpi::observe {

namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::size_t columns() {
  if (const std::string said = variable("THALWEG_COLUMNS"); !said.empty())
    return std::strtoul(said.c_str(), nullptr, 10);
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

// As the user may write the report's file, where `thalweg run` knows it (python/thalweg/launch/screen.py).
std::string name_of(const std::string& report) {
  const std::string name = variable("THALWEG_REPORT_NAME");
  return name.empty() || report.empty() ? report : name;
}

} // namespace

SummaryForm form_asked_for(const std::string& report) {
  return {.columns = columns(),
          .has_bars = variable("THALWEG_BARS") == "1",
          .report = name_of(report),
          .keeping = variable("THALWEG_KEEPING")};
}

} // namespace thalweg::mpi::observe

// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/state/runtime.hpp"

#include <cstdio>

namespace thalweg::mpi {

Runtime runtime;

void log_line(const std::string& text) {
  std::fprintf(stderr, "thalweg: %s\n", text.c_str());
}

} // namespace thalweg::mpi

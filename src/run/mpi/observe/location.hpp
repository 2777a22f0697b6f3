// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace thalweg::mpi::observe {

// Where a call of the program is. In Python the module is the source file, and the address the line in it.
struct Location {
  std::string module; // path of the file; empty for code made at run time
  std::uint64_t address = 0;
  std::string function{}; // empty but in Python
};

} // namespace thalweg::mpi::observe

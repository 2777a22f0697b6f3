// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which loaded file an address lies in. Like dladdr(), which goes through all symbols of the file to find the
// nearest one too: a millisecond an address in a large library.

#include <cstdint>
#include <string>

namespace thalweg::mpi::observe {

struct Module {
  std::string path;       // as the loader has it; "" for the program itself
  std::uint64_t base = 0; // what the loader added to the file's addresses
  bool found = false;
};

Module module_of(const void* address);

} // namespace thalweg::mpi::observe

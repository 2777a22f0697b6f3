// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace thalweg::mpi {

// Where the program called us: the return address, and the canonical frame address of our entry point, from
// which a caller behind a language binding can be found (see observe/bindings.hpp).
struct CallSite {
  const void* return_address = nullptr;
  const char* frame = nullptr;
};

} // namespace thalweg::mpi

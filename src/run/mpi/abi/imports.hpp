// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which functions the files of this process want from other files, by the relocations that bind them. Files
// that are loaded later may want more.

#include <string_view>

namespace thalweg::mpi {

/// Is the symbol a nonblocking collective of MPI, as C or Fortran name it?
bool names_nonblocking_collective(std::string_view symbol);

/// Does the program, or a library that is loaded, want such a function? The MPI library's own files and ours
/// do not count.
bool may_start_collectives();

} // namespace thalweg::mpi

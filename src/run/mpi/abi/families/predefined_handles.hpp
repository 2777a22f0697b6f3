// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace thalweg::mpi {

// Fills the family's predefined handles from the library's data symbols, where they are such (Open MPI).
void resolve_predefined_handles(void* library);

} // namespace thalweg::mpi

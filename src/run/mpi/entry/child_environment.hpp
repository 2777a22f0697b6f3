// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace thalweg::mpi {

/// Takes our own libraries out of LD_PRELOAD, so that what this process starts from now on loads none of
/// them: they would do nothing there but take time. So it does with what THALWEG_PRELOAD_ADDED lists, which
/// the command put there for this program's sake. The user's own entries stay. Before MPI_Init nothing is
/// taken out: wrappers start the MPI program then.
void spare_children();

} // namespace thalweg::mpi

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The MPI library that this one is linked with, as room job wants it. Compiled for each family into the
// libraries that programs link; the interposers find their library while the program runs.

#include "job/mpi/predefined_operators.hpp"
#include "transport/mpi/mpi_api.hpp"

namespace thalweg::job {

const transport::MpiApi& library_api();
const PredefinedOperators& library_operators();

} // namespace thalweg::job

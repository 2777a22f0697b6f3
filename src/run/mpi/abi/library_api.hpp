// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The MPI library under the interposer, as room job wants it.

#include "job/mpi/operator.hpp"
#include "transport/mpi/mpi_api.hpp"

namespace thalweg::mpi {

/// Both hold once the library has been found.
const transport::MpiApi& library_api();
const job::PredefinedOperators& library_operators();

} // namespace thalweg::mpi

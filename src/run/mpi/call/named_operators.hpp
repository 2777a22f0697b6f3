// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Operators of the program's own that it has named for network devices (thalweg/nic.h).

#include <string>
#include <string_view>

#include "mpi/call/collective_call.hpp"

namespace thalweg::mpi {

// Throws Error where the operator cannot have that name. One that has it is never freed: its handle must mean
// no other one, and calls with it may be under way.
void name_operator(MPI_Op op, std::string_view name);

// nullptr where it has none. The text lives as long as the process.
const std::string* name_of_operator(MPI_Op op);

} // namespace thalweg::mpi

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A row of a call table as it is reported.

#include <string>

#include "mpi/observe/call_table.hpp"
#include "mpi/observe/profile.hpp"

namespace thalweg::mpi::observe {

// The figures; endings are left to the caller, as their texts are elsewhere in a journal.
CallProfile row_profile(const CallRow& row, std::string function, const Location& location,
                        double ns_per_tick);

} // namespace thalweg::mpi::observe

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What somebody who has read the summary looks at next.

#include "mpi/observe/output.hpp"
#include "mpi/observe/profile.hpp"

#include <string>

namespace thalweg::mpi::observe {

/// The rank that came last at more than half of the call sites that took longest, where that cost time; a
/// line, or empty.
std::string latest_rank_line(const Profile& profile);

/// The command that helps next, as a line; empty where MPI takes so little that none does.
std::string next_line(const Profile& profile, const SummaryForm& form);

} // namespace thalweg::mpi::observe

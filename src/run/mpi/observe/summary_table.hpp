// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The summary's table of call sites.

#include "mpi/observe/output.hpp"
#include "mpi/observe/profile.hpp"

#include <string>

namespace thalweg::mpi::observe {

/// A row for each of the call sites that took longest, and one for what all others took; empty where there
/// was no call. On a screen, columns and ends of texts are left out until it fits.
std::string call_site_table(const Profile& profile, const SummaryForm& form);

} // namespace thalweg::mpi::observe

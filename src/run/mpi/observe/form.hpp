// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How `thalweg run` wants its summary, which a rank or a program of its own writes.

#include "mpi/observe/output.hpp"

#include <string>

namespace thalweg::mpi::observe {

/// The form that the command asks for by variables of the environment (python/thalweg/launch/screen.py).
/// Where it says no width and stderr is a terminal, the width is the terminal's.
SummaryForm form_asked_for(const std::string& report);

} // namespace thalweg::mpi::observe

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Reasons why the library runs a call that more than one place knows.

namespace thalweg::mpi::observe {

/// Neither the user nor a tuning file says anything of the call.
constexpr const char* nothing_chosen = "no strategy chosen";

} // namespace thalweg::mpi::observe

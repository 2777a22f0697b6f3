// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace thalweg::mpi::observe {

// What was learned (the JSON array of learning/learned.hpp), a line for each kind of call that took longest.
std::string learned_lines(const std::string& learned);

} // namespace thalweg::mpi::observe

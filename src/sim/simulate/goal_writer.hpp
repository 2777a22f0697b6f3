// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Writes programs as GOAL texts in LogGOPSim's dialect, for other people's simulators.

#include "simulate/program.hpp"

#include <string>

namespace thalweg::simulate {

/// The program's text, which read_goal_text() reads back. A receive has the bytes of the message that it
/// meets where messages of a channel come in the order in which they are sent; one for any message, of a
/// byte. That a short send waits for its receiver is no part of GOAL. Throws Error for a folded program.
std::string write_goal(const Program& program);

} // namespace thalweg::simulate

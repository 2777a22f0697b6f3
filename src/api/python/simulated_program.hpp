// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Programs to simulate as Python holds them.

#include "simulate/program.hpp"

namespace thalweg::python {

/// The class thalweg._core.SimulatedProgram: a program with what Python wants to know of how it came about.
struct SimulatedProgram {
  simulate::Program program;
  std::uint32_t looked_at = 0;
};

} // namespace thalweg::python

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Weights and speeds as whole numbers, in which prefix sums are exact.

#include "balance/flow.hpp"

#include <cmath>

namespace thalweg::balancing {

/// Of these consists a whole. Less than 2^13 ranks' roundings stay below 1e-11 of it.
inline constexpr Tasks weight_units = Tasks{1} << 50;
inline constexpr Tasks speed_units = Tasks{1} << 40;

/// A part of a whole, both from 0, in units of which the whole has so many.
inline Tasks units_of(double part, double whole, Tasks units) {
  return whole > 0 ? std::llround(part / whole * static_cast<double>(units)) : 0;
}

} // namespace thalweg::balancing

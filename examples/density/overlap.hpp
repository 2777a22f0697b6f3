// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "density/waves.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace thalweg::examples::density {

/// What all states have in common in one Fourier plane: for each pair of them, the later one first, real and
/// imaginary parts.
Wholes overlaps_of(std::span<Plane const> states);

/// States become orthonormal, plane by plane, by the overlaps of all planes: each loses what it has of the
/// earlier ones (Cholesky's factor of the overlaps, and its inverse). Throws where states depend on each
/// other.
void orthonormalize(std::span<Plane> states, Wholes const& of_all_planes);

} // namespace thalweg::examples::density

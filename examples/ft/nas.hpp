// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the NAS parallel benchmark FT prescribes: sizes, the random field, and the checksums of its classes
// (NPB 3.4, Bailey et al., "The NAS Parallel Benchmarks", RNR-94-007, section 2.4).

#include <array>
#include <complex>
#include <cstdint>
#include <span>
#include <string>

namespace thalweg::examples::ft {

using Complex = std::complex<double>;

struct Problem {
  std::string name;
  int nx = 0;
  int ny = 0;
  int nz = 0;
  int iterations = 0;
  std::span<Complex const> checksums;
};

std::span<Problem const> problems();

/// Fills plane z of the random field, nx * ny numbers.
void fill_plane(std::span<Complex> plane, Problem const& problem, int z);

/// exp(-4 a pi^2 k^2), by which a mode is multiplied in each step; `k` may be above half of `n`.
double decay(Problem const& problem, int kx, int ky, int kz);

/// Where the j-th of the 1024 numbers of a checksum stands: x, y, z.
inline constexpr int checksum_terms = 1024;
std::array<int, 3> checksum_place(Problem const& problem, int j);

/// Is it the published one, to 12 digits as NPB asks?
bool is_right(Problem const& problem, int iteration, Complex checksum);

} // namespace thalweg::examples::ft

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/mpi_session.hpp"
#include "fft3d/layout.hpp"

namespace thalweg::examples::fft3d {

/// Fills a rank's part of the field with random numbers that depend on the seed and the global index alone.
void fill_field(std::vector<Complex>& field, Layout const& layout, Extents extents, std::uint64_t seed);

/// What is known or computed of a spectrum. Collective to make; the same on all ranks.
struct SpectrumSums {
  Complex total;    ///< must be (number of elements) times the field at the origin
  double energy;    ///< must be (number of elements) times the field's energy (Parseval)
  Complex checksum; ///< of 1024 elements spread over the spectrum, as in NAS FT
};
SpectrumSums sums_of(std::vector<Complex> const& spectrum, Layout const& layout, Extents extents,
                     Group const& world);

/// Collective. The largest distance of a rank's part, divided by `scale`, from what fill_field wrote.
double largest_error(std::vector<Complex> const& field, Layout const& layout, Extents extents,
                     std::uint64_t seed, double scale, Group const& world);

/// The field's element at the origin.
Complex field_at_origin(std::uint64_t seed);

} // namespace thalweg::examples::fft3d

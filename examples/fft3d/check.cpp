// SPDX-License-Identifier: BSD-3-Clause
#include "fft3d/check.hpp"

#include "common/random.hpp"

#include <algorithm>

namespace thalweg::examples::fft3d {
namespace {

Complex field_value(std::uint64_t seed, std::int64_t index) {
  auto const i = static_cast<std::uint64_t>(2 * index);
  return {random_signed(seed, i), random_signed(seed, i + 1)};
}

/// Calls `visit(offset in memory, global index)` for every element a rank holds.
template <typename Visit>
void for_each_element(Layout const& layout, Extents extents, Visit const& visit) {
  auto const& [xs, ys, zs] = layout.box.ranges;
  for (std::int64_t x = xs.begin; x < xs.end; ++x) {
    for (std::int64_t y = ys.begin; y < ys.end; ++y) {
      for (std::int64_t z = zs.begin; z < zs.end; ++z) {
        visit(static_cast<std::size_t>(layout.offset(x, y, z)), (x * extents[1] + y) * extents[2] + z);
      }
    }
  }
}

/// The elements that NAS FT adds up: (j mod nx, 3 j mod ny, 5 j mod nz) for j from 1 to 1024.
Complex nas_checksum(std::vector<Complex> const& spectrum, Layout const& layout, Extents extents) {
  auto const& [xs, ys, zs] = layout.box.ranges;
  auto const within = [](Range range, std::int64_t i) { return range.begin <= i && i < range.end; };
  Complex sum = 0;
  for (std::int64_t j = 1; j <= 1024; ++j) {
    std::int64_t const x = j % extents[0];
    std::int64_t const y = 3 * j % extents[1];
    std::int64_t const z = 5 * j % extents[2];
    if (within(xs, x) && within(ys, y) && within(zs, z)) {
      sum += spectrum[static_cast<std::size_t>(layout.offset(x, y, z))];
    }
  }
  return sum;
}

} // namespace

void fill_field(std::vector<Complex>& field, Layout const& layout, Extents extents, std::uint64_t seed) {
  for_each_element(layout, extents,
                   [&](std::size_t offset, std::int64_t index) { field[offset] = field_value(seed, index); });
}

SpectrumSums sums_of(std::vector<Complex> const& spectrum, Layout const& layout, Extents extents,
                     Group const& world) {
  Complex total = 0;
  double energy = 0;
  for (Complex const& element : spectrum) {
    total += element;
    energy += std::norm(element);
  }
  Complex const checksum = nas_checksum(spectrum, layout, extents);
  double const mine[5] = {total.real(), total.imag(), checksum.real(), checksum.imag(), energy};
  double all[5];
  MPI_Allreduce(mine, all, 5, MPI_DOUBLE, MPI_SUM, world.communicator);
  return {{all[0], all[1]}, all[4], {all[2], all[3]}};
}

double largest_error(std::vector<Complex> const& field, Layout const& layout, Extents extents,
                     std::uint64_t seed, double scale, Group const& world) {
  double mine = 0;
  for_each_element(layout, extents, [&](std::size_t offset, std::int64_t index) {
    mine = std::max(mine, std::abs(field[offset] / scale - field_value(seed, index)));
  });
  double all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, world.communicator);
  return all;
}

Complex field_at_origin(std::uint64_t seed) {
  return field_value(seed, 0);
}

} // namespace thalweg::examples::fft3d

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "molecules/cells.hpp"

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

/// The charges' mesh: smooth particle mesh Ewald (Essmann and others 1995). Charges are spread to points by
/// B-splines; from their transform follows the potential at all points; and from that, forces on atoms.
/// Charges at points are whole numbers, so that sums do not depend on the order of adding.
namespace thalweg::examples::molecules {

using Complex = std::complex<double>;

/// Points to which an atom's charge goes, in each dimension.
inline constexpr std::int64_t spline_points = 4;
/// Atoms may leave their cell by so many points until they go to another one.
inline constexpr std::int64_t outside_points = 1;

/// The points that a cell's atoms need: a cube of them, which goes on at the mesh's other side.
struct Window {
  Cell begin{};
  explicit Window(Cell const& cell);
  static std::int64_t side() { return problem.points + spline_points - 1 + 2 * outside_points; }
  static std::size_t plane_size() { return static_cast<std::size_t>(side() * side()); }
  /// Where in the mesh the window's i-th plane, row or point is.
  [[nodiscard]] std::int64_t point(std::size_t dimension, std::int64_t i) const;
};

/// A cell's charges at its window's points: plane by plane, row by row. Throws where an atom is too far out.
std::vector<std::int64_t> spread(Window const& window, std::span<Atom const> atoms);
/// Adds the forces of a window's potentials on atoms, and gives the atoms' part of the energy.
double pull(Window const& window, std::span<double const> potentials, std::span<Atom const> atoms,
            std::span<double> forces);

/// The values of a spectrum's row: those of a row's real values.
inline std::int64_t row_values() {
  return problem.mesh_side() / 2 + 1;
}
/// A plane's spectrum, row by row, and back without normalization.
std::vector<Complex> spectrum_of(std::span<std::int64_t const> charges);
std::vector<double> potentials_of(std::vector<Complex>& spectrum);
/// The rows of all planes' spectra with one number, plane by plane: from charges to potentials.
void convolve(std::vector<Complex>& rows, std::int64_t number);

} // namespace thalweg::examples::molecules

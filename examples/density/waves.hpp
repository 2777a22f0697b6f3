// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <span>
#include <vector>

/// Electrons' states as plane waves, plane by plane, and what becomes of them in a step. Nothing here
/// communicates. Lengths, energies: Hartree's atomic units.
namespace thalweg::examples::density {

using Complex = std::complex<double>;
using Plane = std::vector<Complex>; ///< side x side values, row by row

/// All of a process know the same one.
struct Problem {
  std::int64_t states = 8;
  std::int64_t side = 16; ///< points of the grid in each dimension, and planes of a state
  std::int64_t steps = 0;
  std::uint64_t seed = 1;
  bool by_plane = false; ///< planes with one number of all states are together; else a state's planes

  static constexpr double box = 10;
  [[nodiscard]] std::size_t row() const { return static_cast<std::size_t>(side); }
  [[nodiscard]] std::size_t plane() const { return row() * row(); }
};
inline Problem problem; // of the process

/// Waves up to a quarter of the grid's: of a Fourier plane, is there any.
bool has_waves(std::int64_t plane);
std::int64_t planes_with_waves();

/// A state's first waves in a Fourier plane, the same on any rank.
Plane first_waves(std::int64_t state, std::int64_t plane);

/// Along both dimensions of a plane, or across planes: of rows with one number of all planes, plane by plane.
/// Towards real space, and back. Not normalized.
void to_real(Plane& plane);
void to_fourier(Plane& plane);
void across_to_real(Plane& rows);
void across_to_fourier(Plane& rows);

/// Whole numbers stand for numbers that are added up in any order.
using Wholes = std::vector<std::int64_t>;
void add(Wholes& sum, std::span<std::int64_t const> other);
struct Sum {
  Wholes operator()(Wholes one, Wholes const& other) const {
    add(one, other);
    return one;
  }
};

/// What a state in real space adds to its plane's density.
Wholes squares_of(Plane const& waves);

struct Energies {
  std::int64_t step = 0;
  std::int64_t kinetic = 0;
  std::int64_t potential = 0;

  static constexpr double unit = 0x1p-30;
  [[nodiscard]] double total() const { return unit * static_cast<double>(kinetic + potential); }
  bool operator==(Energies const&) const = default;
};
/// Those of one step.
struct Together {
  Energies operator()(Energies const& one, Energies const& other) const {
    return {one.step, one.kinetic + other.kinetic, one.potential + other.potential};
  }
};

/// The density of a plane in real space, from all states' squares.
std::vector<double> density_of(Wholes const& squares);
/// A Fourier plane of the density becomes one of the potential of charges like it.
void repel(Plane& density, std::int64_t plane);
/// What acts on electrons in a plane in real space: the ions, each other's charge, and exchange. Adds the
/// plane's energies.
std::vector<double> potential_of(std::span<double const> density, Plane const& of_charges, std::int64_t plane,
                                 std::int64_t& energy);
void multiply(std::span<double const> potential, Plane& waves);
/// A step downhill. `pull`: the potential's, in the same Fourier plane, not normalized. Gives their kinetic
/// energy before.
std::int64_t descend(Plane& waves, Plane const& pull, std::int64_t plane);

std::uint64_t hash_of(Plane const& waves, std::int64_t state, std::int64_t plane);

} // namespace thalweg::examples::density

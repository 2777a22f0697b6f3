// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "density/overlap.hpp"
#include "density/waves.hpp"
#include "thalweg/objects.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace thalweg::examples::density {

class State;
class Density;
class Overlap;

/// What the objects know of each other, in a process.
struct Objects {
  thalweg::array<State, 2>* states = nullptr;
  thalweg::array<Density, 1>* densities = nullptr;
  thalweg::array<Overlap, 1>* overlaps = nullptr;
  thalweg::association<State, 2>* to_real = nullptr; ///< how states are transposed
  thalweg::association<State, 2>* to_fourier = nullptr;
  thalweg::section_route route = thalweg::section_route::direct; ///< of the potential to states
};
inline Objects objects; // of the process

/// Where a state's plane is in the array: neighbors there are on one rank.
thalweg::coordinates<2> place_of(std::int64_t state, std::int64_t plane);
thalweg::coordinates<2> shape_of_states();

/// A plane that comes row by row, from others of its kind.
class Incoming {
public:
  /// Gives whether all have come.
  bool take(std::int64_t row, std::span<Complex const> values, std::int64_t rows);
  [[nodiscard]] Plane take_all();

private:
  Plane plane_;
  std::int64_t rows_ = 0;
};

/// A plane of a state, an object: of its waves, and with the same number a plane in real space. Each step its
/// waves become orthogonal to other states' (phases VII, VIII), are transformed (I) and added to the density
/// (II). The potential comes back (V) and pulls at the waves (VI).
class State : public thalweg::element<State, 2> {
public:
  State();
  thalweg::task run(std::int64_t steps);
  void orthonormal(std::span<Complex const> waves);
  void row_to_real(std::int64_t plane, std::span<Complex const> values);
  void potential(std::span<double const> values);
  void row_to_fourier(std::int64_t plane, std::span<Complex const> values);
  void energies(Energies of_all);

  [[nodiscard]] Plane const& waves() const { return waves_; }
  /// By step, of the first plane of the first state: kinetic ones.
  [[nodiscard]] std::vector<Energies> const& known_energies() const { return energies_; }
  [[nodiscard]] std::int64_t state() const { return at()[problem.by_plane ? 1 : 0]; }
  [[nodiscard]] std::int64_t plane() const { return at()[problem.by_plane ? 0 : 1]; }

private:
  void send_to_real();
  void send_to_fourier(Plane& real);

  Plane waves_;
  Incoming real_;
  Incoming pull_;
  // What a task waits for comes once a step: no state is two phases ahead of another.
  thalweg::inbox<Plane> orthonormal_;
  thalweg::inbox<Plane> real_planes_;
  thalweg::inbox<std::vector<double>> potentials_;
  thalweg::inbox<Plane> pulls_;
  std::vector<Energies> energies_;
};

/// A plane of the electrons' density, an object. From all states' squares follow the potential of their
/// charge, for which planes are transposed twice (III), that of exchange, and energies (IV).
class Density : public thalweg::element<Density> {
public:
  void add(std::span<std::int64_t const> squares);
  void row_to_fourier(std::int64_t plane, std::span<Complex const> values);
  void row_to_real(std::int64_t plane, std::span<Complex const> values);
  void energies(Energies of_all);

  /// By step, of the first plane: potential ones.
  [[nodiscard]] std::vector<Energies> const& known_energies() const { return energies_; }

private:
  Wholes squares_;
  std::int64_t states_ = 0; ///< that have been added
  std::int64_t step_ = 0;
  std::vector<double> density_;
  Incoming fourier_;
  Incoming real_;
  std::vector<Energies> energies_;
};

/// All states' waves of a plane, an object, which orthonormalizes them by the overlaps of all planes.
class Overlap : public thalweg::element<Overlap> {
public:
  thalweg::task run(std::int64_t steps);
  void add(std::int64_t state, std::span<Complex const> waves);

private:
  std::vector<Plane> states_;
  std::int64_t added_ = 0;
  thalweg::inbox<bool> full_;
};

} // namespace thalweg::examples::density

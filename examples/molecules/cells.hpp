// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace thalweg::examples::molecules {

using Vector = std::array<double, 3>;
using Cell = std::array<std::int64_t, 3>;

struct Atom {
  std::int64_t id = 0;
  Vector position{};
  Vector velocity{};
  double charge = 0;
};

/// Atoms in a box that goes on at its other side, in Lennard-Jones units. All of a process know the same one.
struct Problem {
  std::int64_t cells = 3; ///< in each dimension, from 3: then a cell's 26 neighbors are different ones
  std::int64_t fill = 3;  ///< atoms of a cell in each dimension, at first
  std::int64_t steps = 0;
  std::int64_t period = 10; ///< steps between two times that atoms go to the cells in which they are
  std::uint64_t seed = 1;
  std::int64_t points = 6; ///< of the charges' mesh, for each cell in each dimension; 0: there are no charges

  static constexpr double spacing = 1.2;
  static constexpr double time_step = 0.002;
  static constexpr double cutoff = 2.5; ///< from here atoms do not feel each other, but on the mesh
  /// How fast charges' direct part falls off (beta in Essmann and others 1995). The mesh has the rest.
  static constexpr double splitting = 1.2;
  [[nodiscard]] double cell_side() const { return spacing * static_cast<double>(fill); }
  [[nodiscard]] double box_side() const { return cell_side() * static_cast<double>(cells); }
  [[nodiscard]] std::int64_t mesh_side() const { return points * cells; }
};
inline Problem problem; // of the process

/// A cell and half of its neighbors: each pair of neighbors once. The first is the cell itself.
inline constexpr int half_neighbors = 14;
/// The places at which a cell's forces are added up: of pairs whose first cell it is, then of others.
inline constexpr int slots = 27;

/// The cell so many further, around the box.
Cell shifted(Cell const& from, Cell const& by);
Cell offset_of(int half_neighbor);
/// The pair of a cell's slot: its first cell, and which half neighbor of that the second is.
struct Pair {
  Cell first{};
  int half_neighbor = 0;
};
Pair pair_of(Cell const& cell, int slot);
Cell cell_of(Vector const& position);

/// The atoms of a cell at first: on a lattice that begins at its border, with random velocities whose sum is
/// zero over each cell.
std::vector<Atom> first_atoms(Cell const& cell);
/// x, y, z and the charge of each atom.
std::vector<double> coordinates_of(std::span<Atom const> atoms);

struct Potential {
  double near = 0;     ///< Lennard and Jones's
  double electric = 0; ///< charges'
  Potential& operator+=(Potential const& other);
};

/// What two cells' atoms do to each other: Lennard-Jones forces and charges' direct part, shifted so that
/// they end at the cutoff.
struct Interaction {
  std::vector<double> on_first;
  std::vector<double> on_second; ///< empty where both are one cell
  Potential potential;
};
Interaction interact(std::span<double const> first, std::span<double const> second);
Interaction interact_within(std::span<double const> cell);

/// Velocities change by half a step's forces.
void kick(std::span<Atom> atoms, std::span<double const> forces);
/// Positions change by a step's velocities.
void drift(std::span<Atom> atoms);
double kinetic_energy(std::span<Atom const> atoms);
/// Does not depend on the order of atoms. Depends on each bit of where they are.
std::uint64_t hash_of(std::span<Atom const> atoms);

/// Sums over all atoms. They are whole numbers, so that they do not depend on the order of adding.
struct Energies {
  std::int64_t step = 0;
  std::int64_t kinetic = 0;
  std::int64_t near = 0;
  std::int64_t electric = 0;

  static constexpr double unit = 0x1p-30;
  static Energies of(std::int64_t step, double kinetic, Potential const& potential);
  [[nodiscard]] double total() const { return unit * static_cast<double>(kinetic + near + electric); }
  bool operator==(Energies const&) const = default;
};
/// Those of one step.
struct Together {
  Energies operator()(Energies const& one, Energies const& other) const {
    return {one.step, one.kinetic + other.kinetic, one.near + other.near, one.electric + other.electric};
  }
};

} // namespace thalweg::examples::molecules

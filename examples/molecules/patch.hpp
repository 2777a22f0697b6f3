// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "molecules/cells.hpp"
#include "thalweg/objects.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace thalweg::examples::molecules {

class Compute;

/// A cell of atoms, an object. Each step it tells 27 computes where its atoms are, and the charges' mesh what
/// their charges are. It has forces from both. Nobody waits for energies: they are added up while the patches
/// are at later steps.
class Patch : public thalweg::element<Patch, 3> {
public:
  Patch();
  /// Up to a step, and that one too.
  thalweg::task run(std::int64_t last_step);
  void forces(std::int64_t step, int slot, std::span<double const> on_atoms, Potential potential);
  /// From a plane of the mesh, which is the so-manieth of this cell's window.
  void potentials(std::int64_t plane, std::span<double const> at_points);
  /// Atoms that have come into this cell, from a neighbor.
  void enter(std::int64_t step, std::span<Atom const> atoms);
  void energies(Energies of_all);

  [[nodiscard]] std::vector<Atom> const& atoms() const { return atoms_; }
  /// By step, on the first patch.
  [[nodiscard]] std::vector<Energies> const& known_energies() const { return energies_; }

  static inline thalweg::array<Compute, 4>* computes = nullptr; // of the process

private:
  struct Part {
    int slot = 0;
    std::vector<double> forces;
    Potential potential;
  };
  struct Layer {
    std::int64_t plane = 0;
    std::vector<double> potentials;
  };
  void send_charges();
  void send_leaving();

  std::int64_t step_ = 0;
  std::vector<Atom> atoms_;      ///< by id
  thalweg::inbox<Part> parts_;   ///< by step: computes may know a neighbor's next coordinates already
  thalweg::inbox<Layer> layers_; ///< of this step
  thalweg::inbox<std::vector<Atom>> entering_;
  std::vector<Energies> energies_;
};

/// What the atoms of two neighboring patches, or of one, do to each other: an object that has no state.
class Compute : public thalweg::element<Compute, 4> {
public:
  void coordinates(std::int64_t step, Cell of, std::span<double const> values);

  static inline thalweg::array<Patch>* patches = nullptr; // of the process

private:
  struct Known {
    Cell of{};
    std::vector<double> values;
  };
  std::optional<Known> first_; ///< to come. A patch that is a step ahead has had this one's forces
};

} // namespace thalweg::examples::molecules

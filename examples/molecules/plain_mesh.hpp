// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/blocks.hpp"
#include "common/mpi_session.hpp"
#include "molecules/mesh.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace thalweg::examples::molecules {

/// The charges' mesh without objects, by MPI's collectives. All ranks have the whole mesh, and each
/// transforms a part of the planes, and of the rows.
class PlainMesh {
public:
  explicit PlainMesh(Group const& world);
  /// A cell of this rank.
  void add(Cell const& cell, std::span<Atom const> atoms);
  /// Collective: charges become potentials.
  void convolve();
  /// As molecules::pull(), for a cell of this rank.
  double pull(Cell const& cell, std::span<Atom const> atoms, std::span<double> forces) const;

private:
  [[nodiscard]] Range part(int rank) const;
  /// From the rank's planes to its rows, or back: what goes to a rank stands behind what goes to the one
  /// before.
  std::vector<Complex> transposed(std::vector<Complex> const& from) const;

  Group world_;
  std::vector<std::int64_t> charges_;
  std::vector<double> potentials_;
};

} // namespace thalweg::examples::molecules

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/mpi_session.hpp"
#include "fft3d/layout.hpp"

#include <string>
#include <vector>

namespace thalweg::examples::fft3d {

/// One stage of the transform: the field spread so that every rank holds whole lines along `axes`, which are
/// transformed here.
struct Stage {
  std::vector<int> axes;
  std::vector<Box> boxes;   ///< what each rank of the world holds
  std::array<int, 3> order; ///< axes from the slowest to the fastest in memory
};

/// Between stage i and stage i + 1, either way: who exchanges, and across which axis a stage's box is cut
/// into slices that can be sent as soon as they are transformed (it must not be one of the stage's own axes).
struct Exchange {
  Group group;            ///< the ranks that exchange
  std::vector<int> ranks; ///< their ranks in the world
  int forward_slice_axis; ///< for stage i going to i + 1
  int inverse_slice_axis; ///< for stage i + 1 going back to i
};

/// A way of spreading the field: stages with an exchange between each two. Owns the communicators it made.
class Decomposition {
public:
  /// Collective. One box of whole (y, z) planes per rank, then one of whole lines along x: one exchange among
  /// all ranks, at most min(nx, ny) ranks have work.
  static Decomposition slabs(Extents extents, Group const& world);

  /// Collective. A grid of rows and columns of ranks (as MPI_Dims_create likes it); whole lines along z, y,
  /// then x: two exchanges, the first within rows, the second within columns.
  static Decomposition pencils(Extents extents, Group const& world);

  Decomposition(Decomposition&& other) noexcept;
  Decomposition(Decomposition const&) = delete;
  Decomposition& operator=(Decomposition const&) = delete;
  Decomposition& operator=(Decomposition&&) = delete;
  ~Decomposition();

  [[nodiscard]] std::vector<Stage> const& stages() const { return stages_; }
  [[nodiscard]] std::vector<Exchange> const& exchanges() const { return exchanges_; }

private:
  Decomposition() = default;

  std::vector<Stage> stages_;
  std::vector<Exchange> exchanges_;
};

} // namespace thalweg::examples::fft3d

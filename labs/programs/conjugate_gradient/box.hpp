// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/blocks.hpp"
#include "common/mpi_session.hpp"

#include <array>
#include <vector>

namespace thalweg::benchmarks::conjugate_gradient {

using examples::Group;
using examples::Range;

/// A rank's box of the cube and who its neighbors are. Owns the grid's communicator.
class Box {
public:
  /// Collective. Splits a cube of `size` points along each edge over all ranks, as MPI_Dims_create likes it.
  Box(int size, Group const& world);
  Box(Box const&) = delete;
  Box& operator=(Box const&) = delete;
  Box(Box&&) = delete;
  Box& operator=(Box&&) = delete;
  ~Box();

  [[nodiscard]] MPI_Comm communicator() const { return communicator_; }
  [[nodiscard]] std::array<Range, 3> const& ranges() const { return ranges_; }
  [[nodiscard]] int extent(std::size_t axis) const { return static_cast<int>(ranges_[axis].size()); }

  /// The neighbor's rank below (side 0) or above (side 1) along an axis; MPI_PROC_NULL at the cube's faces.
  [[nodiscard]] int neighbor(std::size_t axis, std::size_t side) const { return neighbors_[axis][side]; }

  /// Elements of a field on this box with a frame of one point for the neighbors' faces.
  [[nodiscard]] std::size_t framed_size() const;

  /// Where the point (i, j, k) of the box lies in such a field; -1 and the extent are the frame.
  [[nodiscard]] std::size_t index(int i, int j, int k) const {
    auto const plane = static_cast<std::size_t>(extent(1) + 2);
    auto const line = static_cast<std::size_t>(extent(2) + 2);
    return (static_cast<std::size_t>(i + 1) * plane + static_cast<std::size_t>(j + 1)) * line +
           static_cast<std::size_t>(k + 1);
  }

private:
  MPI_Comm communicator_ = MPI_COMM_NULL;
  std::array<Range, 3> ranges_;
  std::array<std::array<int, 2>, 3> neighbors_{};
};

} // namespace thalweg::benchmarks::conjugate_gradient

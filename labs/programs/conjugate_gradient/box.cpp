// SPDX-License-Identifier: BSD-3-Clause
#include "conjugate_gradient/box.hpp"

namespace thalweg::benchmarks::conjugate_gradient {

Box::Box(int size, Group const& world) {
  int dimensions[3] = {0, 0, 0};
  int const periods[3] = {0, 0, 0};
  MPI_Dims_create(world.ranks, 3, dimensions);
  MPI_Cart_create(world.communicator, 3, dimensions, periods, 0, &communicator_);
  int coordinates[3];
  MPI_Cart_coords(communicator_, world.rank, 3, coordinates);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    ranges_[axis] = examples::part_of(Range{0, size}, dimensions[axis], coordinates[axis]);
    MPI_Cart_shift(communicator_, static_cast<int>(axis), 1, &neighbors_[axis][0], &neighbors_[axis][1]);
  }
}

Box::~Box() {
  MPI_Comm_free(&communicator_);
}

std::size_t Box::framed_size() const {
  return static_cast<std::size_t>(extent(0) + 2) * static_cast<std::size_t>(extent(1) + 2) *
         static_cast<std::size_t>(extent(2) + 2);
}

} // namespace thalweg::benchmarks::conjugate_gradient

// SPDX-License-Identifier: BSD-3-Clause
#include "conjugate_gradient/halo.hpp"

namespace thalweg::benchmarks::conjugate_gradient {
namespace {

/// The points of a face across `axis`, seen from the face's first point in a framed field.
MPI_Datatype face_across(Box const& box, std::size_t axis) {
  int const line = box.extent(2) + 2;
  int const plane = (box.extent(1) + 2) * line;
  MPI_Datatype face = MPI_DATATYPE_NULL;
  if (axis == 0) {
    MPI_Type_vector(box.extent(1), box.extent(2), line, MPI_DOUBLE, &face);
  } else if (axis == 1) {
    MPI_Type_vector(box.extent(0), box.extent(2), plane, MPI_DOUBLE, &face);
  } else {
    MPI_Datatype column = MPI_DATATYPE_NULL;
    MPI_Type_vector(box.extent(1), 1, line, MPI_DOUBLE, &column);
    MPI_Type_create_hvector(box.extent(0), 1, plane * static_cast<MPI_Aint>(sizeof(double)), column, &face);
    MPI_Type_free(&column);
  }
  MPI_Type_commit(&face);
  return face;
}

} // namespace

Halo::Halo(Box const& box) : box_(box) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    faces_[axis] = face_across(box, axis);
  }
}

Halo::~Halo() {
  for (MPI_Datatype& face : faces_) {
    MPI_Type_free(&face);
  }
}

void Halo::exchange(std::vector<double>& field) const {
  std::array<MPI_Request, 12> requests;
  std::size_t count = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t side = 0; side < 2; ++side) {
      std::array<int, 3> inner{0, 0, 0};
      inner[axis] = side == 0 ? 0 : box_.extent(axis) - 1;
      std::array<int, 3> frame = inner;
      frame[axis] += side == 0 ? -1 : 1;
      int const peer = box_.neighbor(axis, side);
      // A message carries the axis and the side it leaves by; the other end receives it on the opposite side.
      int const tag_out = static_cast<int>(2 * axis + side);
      int const tag_in = static_cast<int>(2 * axis + 1 - side);
      MPI_Irecv(&field[box_.index(frame[0], frame[1], frame[2])], 1, faces_[axis], peer, tag_in,
                box_.communicator(), &requests[count++]);
      MPI_Isend(&field[box_.index(inner[0], inner[1], inner[2])], 1, faces_[axis], peer, tag_out,
                box_.communicator(), &requests[count++]);
    }
  }
  MPI_Waitall(static_cast<int>(count), requests.data(), MPI_STATUSES_IGNORE);
}

} // namespace thalweg::benchmarks::conjugate_gradient

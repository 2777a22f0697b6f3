// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conjugate_gradient/box.hpp"

namespace thalweg::benchmarks::conjugate_gradient {

/// Exchanges the faces of a field with the six neighbors; derived datatypes pick the points of a face.
class Halo {
public:
  explicit Halo(Box const& box);
  Halo(Halo const&) = delete;
  Halo& operator=(Halo const&) = delete;
  Halo(Halo&&) = delete;
  Halo& operator=(Halo&&) = delete;
  ~Halo();

  /// Collective. Fills the frame of `field` with the neighbors' faces; at the cube's faces it is left as it
  /// is.
  void exchange(std::vector<double>& field) const;

private:
  Box const& box_;
  std::array<MPI_Datatype, 3> faces_{}; ///< per axis, from the face's first point
};

} // namespace thalweg::benchmarks::conjugate_gradient

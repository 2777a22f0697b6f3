// SPDX-License-Identifier: BSD-3-Clause
#include "conjugate_gradient/solver.hpp"

#include "common/random.hpp"

#include <cmath>

namespace thalweg::benchmarks::conjugate_gradient {
namespace {

using Field = std::vector<double>;

/// Calls `visit(index)` for every point of the box, without the frame.
template <typename Visit>
void for_each_point(Box const& box, Visit const& visit) {
  for (int i = 0; i < box.extent(0); ++i) {
    for (int j = 0; j < box.extent(1); ++j) {
      for (int k = 0; k < box.extent(2); ++k) {
        visit(box.index(i, j, k));
      }
    }
  }
}

Field random_field(Box const& box, int size, std::uint64_t seed) {
  Field field(box.framed_size(), 0.0);
  auto const& [is, js, ks] = box.ranges();
  for (int i = 0; i < box.extent(0); ++i) {
    for (int j = 0; j < box.extent(1); ++j) {
      for (int k = 0; k < box.extent(2); ++k) {
        std::int64_t const point = ((is.begin + i) * size + js.begin + j) * size + ks.begin + k;
        field[box.index(i, j, k)] = examples::random_signed(seed, static_cast<std::uint64_t>(point));
      }
    }
  }
  return field;
}

double dot(Box const& box, Field const& a, Field const& b) {
  double mine = 0;
  for_each_point(box, [&](std::size_t at) { mine += a[at] * b[at]; });
  double all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, box.communicator());
  return all;
}

/// result = -Laplacian of `field`, whose frame holds the neighbors' faces.
void apply_laplacian(Box const& box, Field const& field, Field& result) {
  std::size_t const i = box.index(0, -1, -1) - box.index(-1, -1, -1);
  std::size_t const j = box.index(-1, 0, -1) - box.index(-1, -1, -1);
  for_each_point(box, [&](std::size_t at) {
    result[at] = 6 * field[at] - field[at - i] - field[at + i] - field[at - j] - field[at + j] -
                 field[at - 1] - field[at + 1];
  });
}

} // namespace

double solve(Box const& box, int size, int iterations, std::uint64_t seed) {
  Halo const halo{box};
  Field solution(box.framed_size(), 0.0);
  Field residual = random_field(box, size, seed);
  Field direction = residual;
  Field applied(box.framed_size(), 0.0);
  double const first = dot(box, residual, residual);
  double current = first;
  for (int iteration = 0; iteration < iterations && current > 0; ++iteration) {
    halo.exchange(direction);
    apply_laplacian(box, direction, applied);
    double const step = current / dot(box, direction, applied);
    for_each_point(box, [&](std::size_t at) {
      solution[at] += step * direction[at];
      residual[at] -= step * applied[at];
    });
    double const next = dot(box, residual, residual);
    double const keep = next / current;
    for_each_point(box, [&](std::size_t at) { direction[at] = residual[at] + keep * direction[at]; });
    current = next;
  }
  return std::sqrt(current / first);
}

} // namespace thalweg::benchmarks::conjugate_gradient

// SPDX-License-Identifier: BSD-3-Clause

/// Solves a Laplacian by conjugate gradients; see README.md.

#include "conjugate_gradient/solver.hpp"

#include <cmath>
#include <fmt/format.h>

namespace {

using namespace thalweg::examples;
using namespace thalweg::benchmarks::conjugate_gradient;

bool run(Group const& world, Options const& options) {
  int const size = static_cast<int>(options.integer("size", 1, 2048));
  int const iterations = static_cast<int>(options.integer("iterations", 0, 1'000'000));
  auto const seed = static_cast<std::uint64_t>(options.integer("seed", 0, INT64_MAX));
  Box const box{size, world};
  MPI_Barrier(world.communicator);
  double const begin_s = MPI_Wtime();
  double const residual = solve(box, size, iterations, seed);
  double const seconds = MPI_Wtime() - begin_s;
  if (world.rank == 0) {
    fmt::print("answer: size={} iterations={} residual={:.5e}\n", size, iterations, residual);
    fmt::print("time: ranks={} solve_s={:.6f}\n", world.ranks, seconds);
  }
  return std::isfinite(residual);
}

} // namespace

int main(int argc, char** argv) {
  Options options;
  options.add("size", "32", "points along an edge of the cube")
      .add("iterations", "50", "steps of conjugate gradients")
      .add("seed", "1", "seed of the right-hand side");
  return run_example(argc, argv, options, run);
}

// SPDX-License-Identifier: BSD-3-Clause

/// A 3-D stencil whose blocks are objects: several on each rank, which move to where there is time; see
/// README.md.

#include "common/mpi_session.hpp"
#include "stencil3d_objects/block.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace {

using namespace thalweg::examples;
using namespace thalweg::examples::stencil3d;

/// To the bit what one rank computes, without blocks.
bool are_right(thalweg::array<Block>& blocks, std::int64_t steps) {
  Cells all(part_of(problem.side, {1, 1, 1}, {0, 0, 0}));
  for (Cells next = all; steps > 0; --steps) {
    all.relax_into(next);
    std::swap(all, next);
  }
  bool are_right = true;
  blocks.each([&](Block const& block, auto const&) {
    auto const [x, y, z] = block.box();
    each_of(block.cells().inner(), [&](std::int64_t a, std::int64_t b, std::int64_t c) {
      are_right = are_right && block.cells()(a, b, c) == all(x.begin + a, y.begin + b, z.begin + c);
    });
  });
  return are_right;
}

bool solve_and_check(Group const& world, Options const& options) {
  problem = {options.integer("side", 1, 4096), options.integer("uneven", 1, 1000),
             options.choice("load", {"ramp", "halves"}) == 0, options.integer("repeats", 1, 1000)};
  std::int64_t const steps = options.integer("steps", 1, 1 << 30);
  std::int64_t const period = options.integer("period", 1, 1 << 30);
  thalweg_fence_options fence{};
  fence.scheme = options.choice("balance", {"on", "off"}) == 0 ? thalweg_fence_sweep : thalweg_fence_stay;
  auto const shape = thalweg::shape_of<3>(world.ranks * options.integer("objects", 1, 1 << 20));
  if (shape[0] > problem.side)
    throw OptionError(fmt::format("--side {}: fewer cells than {} blocks", problem.side, shape[0]));
  thalweg::array<Block> blocks(world.communicator, shape);
  std::vector<double> imbalances; // of periods: the slowest rank's blocks' time, over the mean
  MPI_Barrier(world.communicator);
  double const begin = MPI_Wtime();
  for (std::int64_t done = 0; done < steps; done += period) {
    if (world.rank == 0)
      blocks.broadcast<&Block::run>(std::min(period, steps - done));
    imbalances.push_back(blocks.fence(fence).imbalance);
  }
  double seconds = MPI_Wtime() - begin;
  bool is_right = are_right(blocks, steps);
  MPI_Allreduce(MPI_IN_PLACE, &is_right, 1, MPI_CXX_BOOL, MPI_LAND, world.communicator);
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, world.communicator);
  if (world.rank == 0) {
    fmt::print("answer: side={} steps={} right={}\n", problem.side, steps, is_right ? "yes" : "NO");
    fmt::print("time: ranks={} blocks={} seconds={:.6f} imbalances={:.3f}\n{}", world.ranks, blocks.size(),
               seconds, fmt::join(imbalances, ","), blocks.explain());
  }
  return is_right;
}

} // namespace

int main(int argc, char** argv) {
  Options options;
  options.add("side", "32", "cells of the grid in each dimension")
      .add("objects", "8", "blocks for each rank")
      .add("steps", "40", "of each cell")
      .add("period", "10", "steps between two fences, at which blocks may move")
      .add("uneven", "1", "the last blocks have so many times as much to do as the first ones")
      .add("repeats", "1", "how often the first blocks compute each step, as if it were a costlier one")
      .add("load", "ramp",
           "ramp, or halves: blocks between have something between, or their neighbors' share")
      .add("balance", "on", "on or off: do blocks move");
  return run_example(argc, argv, options, solve_and_check);
}

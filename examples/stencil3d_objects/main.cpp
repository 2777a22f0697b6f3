/// A 3-D stencil whose blocks are objects: several on each rank, which move to where there is time; see
/// README.md.

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/mpi_session.hpp"
#include "stencil3d_objects/block.hpp"

namespace {

using namespace thalweg::examples;
using namespace thalweg::examples::stencil3d;

/// As many blocks as wanted, in a box whose sides differ little.
std::array<std::int64_t, 3> shape_of(std::int64_t blocks) {
  std::array<std::int64_t, 3> shape{1, 1, 1};
  for (std::int64_t factor = 2; blocks > 1; ++factor)
    for (; blocks % factor == 0; blocks /= factor)
      *std::ranges::min_element(shape) *= factor;
  std::ranges::sort(shape, std::ranges::greater());
  return shape;
}

/// The same by one rank, without blocks.
Cells solve_alone(std::int64_t steps) {
  Range const all{0, problem.side};
  Cells now({all, all, all});
  Cells next({all, all, all});
  for (std::int64_t x = 0; x < problem.side; ++x)
    for (std::int64_t y = 0; y < problem.side; ++y)
      for (std::int64_t z = 0; z < problem.side; ++z)
        now(x + 1, y + 1, z + 1) = first_value(x, y, z);
  for (; steps > 0; --steps) {
    now.relax_into(next);
    std::swap(now, next);
  }
  return now;
}

bool equals(Block const& block, Cells const& expected) {
  auto const [x, y, z] = block.box();
  for (std::int64_t a = 1; a <= x.size(); ++a)
    for (std::int64_t b = 1; b <= y.size(); ++b)
      for (std::int64_t c = 1; c <= z.size(); ++c)
        if (block.cells()(a, b, c) != expected(x.begin + a, y.begin + b, z.begin + c))
          return false;
  return true;
}

bool solve_and_check(Group const& world, Options const& options) {
  problem = {options.integer("side", 1, 4096), options.integer("uneven", 1, 1000),
             options.choice("load", {"ramp", "halves"}) == 0, options.integer("repeats", 1, 1000)};
  std::int64_t const steps = options.integer("steps", 1, 1 << 30);
  std::int64_t const period = options.integer("period", 1, 1 << 30);
  bool const balances = options.choice("balance", {"on", "off"}) == 0;
  auto const shape = shape_of(world.ranks * options.integer("objects", 1, 1 << 20));
  if (*std::ranges::max_element(shape) > problem.side)
    throw OptionError(fmt::format("--side {}: fewer cells than the {} blocks beside one another",
                                  problem.side, *std::ranges::max_element(shape)));
  thalweg::array<Block> blocks(world.communicator, shape);
  std::uint64_t moved = 0;
  double last = 0;                // period
  std::vector<double> imbalances; // of periods: what the slowest rank's blocks took, over the mean
  MPI_Barrier(world.communicator);
  double const begin = MPI_Wtime();
  for (std::int64_t done = 0; done < steps; done += period) {
    double const before = MPI_Wtime();
    if (world.rank == 0)
      blocks.broadcast<&Block::run>(std::min(period, steps - done));
    blocks.finish();
    last = MPI_Wtime() - before;
    if (balances) {
      thalweg_fence_outcome const outcome = blocks.fence();
      moved += outcome.entered;
      imbalances.push_back(outcome.imbalance);
    }
  }
  double seconds = MPI_Wtime() - begin;

  Cells const expected = solve_alone(steps);
  int right = 1;
  double sum = 0;
  blocks.each(
      [&](Block const& block, auto const&) { right = right != 0 && equals(block, expected) ? 1 : 0; });
  for (std::int64_t x = 1; x <= problem.side; ++x)
    sum += expected(x, x, x);
  MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_MIN, world.communicator);
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, world.communicator);
  MPI_Allreduce(MPI_IN_PLACE, &moved, 1, MPI_UINT64_T, MPI_SUM, world.communicator);
  if (world.rank == 0) {
    fmt::print("answer: side={} steps={} right={} diagonal={:.12g}\n", problem.side, steps,
               right != 0 ? "yes" : "NO", sum);
    fmt::print("time: ranks={} blocks={} seconds={:.6f} last-period={:.6f} moved={} imbalances={:.3f}\n",
               world.ranks, blocks.size(), seconds, last, moved, fmt::join(imbalances, ","));
  }
  return right != 0;
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
           "ramp, or halves: the blocks between have something between, or their neighbors' share")
      .add("balance", "on", "on or off: do blocks move");
  return run_example(argc, argv, options, solve_and_check);
}

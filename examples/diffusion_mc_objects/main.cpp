// SPDX-License-Identifier: BSD-3-Clause

/// Diffusion Monte Carlo on objects: flocks of walkers, which move to where there is time; see README.md.

#include "common/mpi_session.hpp"
#include "diffusion_mc_objects/flock.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace {

using namespace thalweg::examples;
using namespace thalweg::examples::diffusion_mc_objects;

struct Run {
  std::int64_t steps = 0;
  std::int64_t flocks = 0;
  std::int64_t period = 0; ///< steps between two fences
  bool balances = true;
};

struct Outcome {
  bool is_right = false;
  double seconds = 0;
  double imbalance = 0; ///< mean over periods: most walkers of a rank, over the mean of ranks
  std::uint64_t moved = 0;
};

template <std::size_t bytes>
double imbalance_of(thalweg::array<Flock<bytes>, 1>& flocks, Group const& world) {
  std::int64_t own = 0;
  flocks.each(
      [&](Flock<bytes> const& flock, auto const&) { own += static_cast<std::int64_t>(flock.walkers()); });
  std::int64_t most = own;
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, world.communicator);
  MPI_Allreduce(MPI_IN_PLACE, &own, 1, MPI_INT64_T, MPI_SUM, world.communicator);
  return static_cast<double>(most * world.ranks) / static_cast<double>(std::max<std::int64_t>(own, 1));
}

/// The result is known where the first flock is.
template <std::size_t bytes>
Outcome simulate(Run const& run, Group const& world) {
  thalweg::array<Flock<bytes>, 1> flocks(world.communicator, {run.flocks});
  Outcome outcome;
  std::int64_t periods = 0;
  MPI_Barrier(world.communicator);
  double const begin = MPI_Wtime();
  for (std::int64_t done = 0; done < run.steps; done += run.period, ++periods) {
    if (world.rank == 0)
      flocks.template broadcast<&Flock<bytes>::run>(std::min(run.period, run.steps - done));
    flocks.finish();
    outcome.imbalance += imbalance_of(flocks, world);
    if (run.balances)
      outcome.moved += flocks.fence().entered;
  }
  outcome.seconds = MPI_Wtime() - begin;
  outcome.imbalance /= static_cast<double>(periods);
  flocks.each([&](Flock<bytes> const& flock, auto const& at) {
    if (at[0] != 0)
      return;
    diffusion_mc::Course course(problem, run.steps);
    for (std::size_t step = 0; step < flock.sums().size(); ++step)
      course.add(static_cast<std::int64_t>(step), flock.sums()[step]);
    outcome.is_right = course.is_right();
    fmt::print("{}\n", course.answer());
  });
  return outcome;
}

bool simulate_and_check(Group const& world, Options const& options) {
  problem.population = options.integer("walkers", 1, 1 << 30);
  problem.moves = static_cast<int>(options.integer("moves", 1, 1 << 20));
  problem.seed = static_cast<std::uint64_t>(options.integer("seed", 0, INT64_MAX));
  Run const run{options.integer("steps", diffusion_mc::lag + 1, 1 << 30),
                world.ranks * options.integer("objects", 1, 1 << 20), options.integer("period", 1, 1 << 30),
                options.choice("balance", {"off", "on"}) == 1};
  Outcome outcome = options.choice("walker-bytes", {"672", "2048"}) == 0 ? simulate<672>(run, world)
                                                                         : simulate<2048>(run, world);
  int right = outcome.is_right ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_MAX, world.communicator);
  MPI_Allreduce(MPI_IN_PLACE, &outcome.seconds, 1, MPI_DOUBLE, MPI_MAX, world.communicator);
  MPI_Allreduce(MPI_IN_PLACE, &outcome.moved, 1, MPI_UINT64_T, MPI_SUM, world.communicator);
  if (world.rank == 0)
    fmt::print("time: ranks={} balance={} imbalance={:.3f} moved={} seconds={:.6f}\n", world.ranks,
               options.text("balance"), outcome.imbalance, outcome.moved, outcome.seconds);
  return right != 0;
}

} // namespace

int main(int argc, char** argv) {
  Options options;
  options.add("walkers", "2000", "of all ranks, more or less")
      .add("steps", "400", "branchings")
      .add("moves", "5", "of each walker between two branchings")
      .add("walker-bytes", "672", "what a walker is: 672 or 2048")
      .add("objects", "32", "flocks of a rank")
      .add("period", "20", "steps between two fences, at which flocks may move")
      .add("balance", "on", "on or off: do flocks move")
      .add("seed", "1", "seed of all random numbers");
  return run_example(argc, argv, options, simulate_and_check);
}

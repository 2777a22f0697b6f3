/// Molecular dynamics on objects: cells of atoms, and what computes the forces between two of them; see
/// README.md.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "common/mpi_session.hpp"
#include "molecules/patch.hpp"
#include "molecules/plain.hpp"

namespace {

using namespace thalweg::examples;
using namespace thalweg::examples::molecules;

Result run_objects(Group const& world) {
  thalweg::array<Patch> patches(world.communicator, {problem.cells, problem.cells, problem.cells});
  thalweg::array<Compute> computes(world.communicator,
                                   {problem.cells, problem.cells, problem.cells, half_neighbors});
  Patch::computes = &computes;
  Compute::patches = &patches;
  Result result;
  MPI_Barrier(world.communicator);
  double const begin = MPI_Wtime();
  if (world.rank == 0)
    patches.broadcast<&Patch::run>(problem.steps);
  patches.finish();
  result.seconds = MPI_Wtime() - begin;
  patches.each([&](Patch const& patch, Cell const& at) {
    result.hash += hash_of(patch.atoms());
    if (at == Cell{0, 0, 0})
      result.energies = patch.known_energies();
  });
  MPI_Allreduce(MPI_IN_PLACE, &result.hash, 1, MPI_UINT64_T, MPI_SUM, world.communicator);
  return result;
}

/// The most that the energy of all has differed from its first value, over the first kinetic energy.
double drift_of(std::vector<Energies> const& energies) {
  double most = 0;
  for (Energies const& one : energies)
    most = std::max(most, std::abs(one.total() - energies.front().total()));
  return most / (Energies::unit * static_cast<double>(std::max<std::int64_t>(energies.front().kinetic, 1)));
}

bool run_and_check(Group const& world, Options const& options) {
  problem = {options.integer("cells", 3, 1000), options.integer("fill", 3, 20),
             options.integer("steps", 1, 1 << 30), options.integer("period", 1, 20),
             static_cast<std::uint64_t>(options.integer("seed", 0, INT64_MAX))};
  bool const by_objects = options.choice("way", {"mpi", "objects"}) == 1;
  bool const verifies = options.choice("verify", {"no", "yes"}) == 1;
  Result result = by_objects ? run_objects(world) : run_plain(world);
  MPI_Allreduce(MPI_IN_PLACE, &result.seconds, 1, MPI_DOUBLE, MPI_MAX, world.communicator);
  int right = 1;
  if (world.rank == 0) {
    constexpr double most_drift = 0.01;
    double const drift = drift_of(result.energies);
    right = drift < most_drift ? 1 : 0;
    if (verifies) {
      Result const alone = run_plain(group_of(MPI_COMM_SELF));
      right = right != 0 && alone.hash == result.hash && alone.energies == result.energies ? 1 : 0;
    }
    fmt::print("answer: steps={} right={} energy={:.9f} drift={:.3e} hash={:016x}\n", problem.steps,
               right != 0 ? "yes" : "NO", result.energies.back().total(), drift, result.hash);
    fmt::print("time: ranks={} way={} seconds={:.6f}\n", world.ranks, options.text("way"), result.seconds);
  }
  MPI_Bcast(&right, 1, MPI_INT, 0, world.communicator);
  return right != 0;
}

} // namespace

int main(int argc, char** argv) {
  Options options;
  options.add("cells", "3", "in each dimension, from 3")
      .add("fill", "3", "atoms of a cell in each dimension, at first")
      .add("steps", "20", "of 0.002")
      .add("period", "10", "steps between two times that atoms go to the cells in which they are")
      .add("seed", "1", "of the velocities")
      .add("way", "objects", "objects, or mpi: by MPI's collectives")
      .add("verify", "yes", "no: the result is not compared with one rank's");
  return run_example(argc, argv, options, run_and_check);
}

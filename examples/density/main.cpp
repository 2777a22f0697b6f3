// SPDX-License-Identifier: BSD-3-Clause

/// Electrons' density from their states, as in Car's and Parrinello's method, on objects: planes of states,
/// of the density, and of states' overlaps; see README.md.

#include "common/mpi_session.hpp"
#include "density/electrons.hpp"
#include "density/plain.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>

namespace {

using namespace thalweg::examples;
using namespace thalweg::examples::density;

Result run_objects(Group const& world, std::string const& transposes, thalweg::section_route route) {
  thalweg::array<State> states(world.communicator, shape_of_states());
  thalweg::array<Density> densities(world.communicator, {problem.side});
  thalweg::array<Overlap> overlaps(world.communicator, {problem.side});
  thalweg::association to_real(states, transposes);
  thalweg::association to_fourier(states, transposes);
  objects = {&states, &densities, &overlaps, &to_real, &to_fourier, route};
  Result result;
  MPI_Barrier(world.communicator);
  double const begin = MPI_Wtime();
  if (world.rank == 0) {
    overlaps.broadcast<&Overlap::run>(problem.steps);
    states.broadcast<&State::run>(problem.steps);
  }
  states.finish();
  result.seconds = MPI_Wtime() - begin;
  states.each([&](State const& one, auto const&) {
    result.hash += hash_of(one.waves(), one.state(), one.plane());
    if (one.state() == 0 && one.plane() == 0)
      result.energies = one.known_energies();
  });
  MPI_Allreduce(MPI_IN_PLACE, &result.hash, 1, MPI_UINT64_T, MPI_SUM, world.communicator);
  densities.each([&](Density const& one, auto const& at) {
    for (std::size_t step = 0; at[0] == 0 && step < result.energies.size(); ++step)
      result.energies[step].potential = one.known_energies()[step].potential;
  });
  return result;
}

bool run_and_check(Group const& world, Options const& options) {
  problem = {options.integer("states", 1, 1 << 12), options.integer("planes", 4, 1 << 10),
             options.integer("steps", 1, 1 << 30),
             static_cast<std::uint64_t>(options.integer("seed", 0, INT64_MAX)),
             options.choice("mapping", {"state", "plane"}) == 1};
  bool const by_objects = options.choice("way", {"mpi", "objects"}) == 1;
  bool const verifies = options.choice("verify", {"no", "yes"}) == 1;
  auto const route =
      static_cast<thalweg::section_route>(options.choice("multicast", {"direct", "ring", "tree"}));
  Result result = by_objects ? run_objects(world, options.text("transposes"), route) : run_plain(world);
  MPI_Allreduce(MPI_IN_PLACE, &result.seconds, 1, MPI_DOUBLE, MPI_MAX, world.communicator);
  int right = 1;
  if (world.rank == 0) {
    auto const rises = [](Energies const& one, Energies const& next) { return next.total() > one.total(); };
    right = std::ranges::adjacent_find(result.energies, rises) == result.energies.end() ? 1 : 0;
    if (verifies) {
      Result const alone = run_plain(group_of(MPI_COMM_SELF));
      right = right != 0 && alone.hash == result.hash && alone.energies == result.energies ? 1 : 0;
    }
    fmt::print("answer: states={} planes={} right={} energy={:.9f} first={:.9f} hash={:016x}\n",
               problem.states, problem.side, right != 0 ? "yes" : "NO", result.energies.back().total(),
               result.energies.front().total(), result.hash);
    fmt::print("time: ranks={} way={} seconds={:.6f}\n", world.ranks, options.text("way"), result.seconds);
  }
  MPI_Bcast(&right, 1, MPI_INT, 0, world.communicator);
  return right != 0;
}

} // namespace

int main(int argc, char** argv) {
  Options options;
  options.add("states", "8", "of electrons, two in each")
      .add("planes", "16", "of a state, and points of a plane in each dimension, from 4")
      .add("steps", "5", "downhill")
      .add("seed", "1", "of the first waves")
      .add("mapping", "state",
           "what is together on a rank: a state's planes, or all states' ones with a number: plane")
      .add("transposes", "stream", "of states: stream, direct, mesh, grid, hypercube")
      .add("multicast", "direct", "of the potential: direct, ring, tree")
      .add("way", "objects", "objects, or mpi: by MPI's collectives")
      .add("verify", "yes", "no: the result is not compared with one rank's");
  return run_example(argc, argv, options, run_and_check);
}

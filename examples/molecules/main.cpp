// SPDX-License-Identifier: BSD-3-Clause

/// Molecular dynamics on objects: cells of atoms, what computes the forces between two of them, and a mesh of
/// charges; see README.md.

#include "common/mpi_session.hpp"
#include "molecules/exchange.hpp"
#include "molecules/patch.hpp"
#include "molecules/plain.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string>

namespace {

using namespace thalweg::examples;
using namespace thalweg::examples::molecules;

/// Where the mesh is, and how it is transposed.
struct MeshOptions {
  std::string transposes;
  std::int64_t ranks = 1;
};

/// Of fences: the mesh stays on its ranks, whatever they take.
constexpr thalweg_fence_options nobody_moves{
    .threshold = 0, .steps = 0, .hysteresis = 0, .min_gain_seconds = 0, .scheme = thalweg_fence_stay};

/// Runs all steps; with "auto" a fence chooses how spectra are transposed, each time that atoms have gone to
/// their cells.
void run_patches(thalweg::array<Patch>& patches, bool has_fences) {
  std::int64_t const stride = has_fences ? problem.period : problem.steps + 1;
  for (std::int64_t done = 0; done <= problem.steps; done += stride) {
    if (patches.rank() == 0)
      patches.broadcast<&Patch::run>(std::min(done + stride - 1, problem.steps));
    if (mesh.by_mpi != nullptr)
      mesh.by_mpi->run(problem.steps + 1);
    has_fences ? static_cast<void>(patches.fence(nobody_moves)) : patches.finish();
  }
}

/// Planes and rows go to their ranks, before anything runs.
void place(thalweg::array<Plane>& planes, thalweg::array<Rows>& rows, MeshRanks const& where) {
  if (planes.rank() == 0)
    for (std::int64_t i = 0; i < problem.mesh_side(); ++i) {
      planes[{i}].migrate(static_cast<int>(where.rank_of(where.member_of(i))));
      rows[{i}].migrate(static_cast<int>(where.rank_of(where.member_of(i))));
    }
  planes.fence(nobody_moves);
}

void run_with_mesh(Group const& world, thalweg::array<Patch>& patches, MeshOptions const& options) {
  thalweg::array<Plane> planes(world.communicator, {problem.mesh_side()});
  thalweg::array<Rows> rows(world.communicator, {problem.mesh_side()});
  MeshRanks const where{world.ranks, options.ranks == 0 ? world.ranks
                                                        : std::min<std::int64_t>(options.ranks, world.ranks)};
  place(planes, rows, where);
  mesh = {&patches, &planes, &rows};
  if (options.transposes == "mpi" || options.transposes == "mpi_nonblocking") {
    Exchange exchange(world, where, options.transposes == "mpi");
    mesh.by_mpi = &exchange;
    run_patches(patches, false);
    return;
  }
  thalweg::association to_rows(planes, options.transposes);
  thalweg::association to_planes(rows, options.transposes);
  mesh.to_rows = &to_rows;
  mesh.to_planes = &to_planes;
  run_patches(patches, options.transposes == "auto");
}

Result run_objects(Group const& world, MeshOptions const& options) {
  thalweg::array<Patch> patches(world.communicator, {problem.cells, problem.cells, problem.cells});
  thalweg::array<Compute> computes(world.communicator,
                                   {problem.cells, problem.cells, problem.cells, half_neighbors});
  Patch::computes = &computes;
  Compute::patches = &patches;
  Result result;
  MPI_Barrier(world.communicator);
  double const begin = MPI_Wtime();
  problem.points == 0 ? run_patches(patches, false) : run_with_mesh(world, patches, options);
  result.seconds = MPI_Wtime() - begin;
  patches.each([&](Patch const& patch, Cell const& at) {
    result.hash += hash_of(patch.atoms());
    if (at == Cell{0, 0, 0})
      result.energies = patch.known_energies();
  });
  MPI_Allreduce(MPI_IN_PLACE, &result.hash, 1, MPI_UINT64_T, MPI_SUM, world.communicator);
  return result;
}

/// At first the charges are rock salt, whose energy is known. By Madelung's constant: how far from it they
/// are; 0 where there are none, or where a box of them does not go on at its other side.
double salt_error(Energies const& first) {
  std::int64_t const side = problem.cells * problem.fill;
  if (problem.points == 0 || side % 2 != 0)
    return 0;
  constexpr double madelung = 1.747564594633;
  double const atoms = static_cast<double>(side * side * side);
  double const energy = Energies::unit * static_cast<double>(first.electric) / atoms;
  return std::abs(-2 * Problem::spacing * energy / madelung - 1);
}

/// The most that the energy of all has differed from its first value, over the first kinetic energy.
double drift_of(std::vector<Energies> const& energies) {
  double most = 0;
  for (Energies const& one : energies)
    most = std::max(most, std::abs(one.total() - energies.front().total()));
  return most / (Energies::unit * static_cast<double>(std::max<std::int64_t>(energies.front().kinetic, 1)));
}

bool run_and_check(Group const& world, Options const& options) {
  problem = {options.integer("cells", 3, 1000),
             options.integer("fill", 3, 20),
             options.integer("steps", 1, 1 << 30),
             options.integer("period", 1, 20),
             static_cast<std::uint64_t>(options.integer("seed", 0, INT64_MAX)),
             options.integer("points", 0, 32)};
  if (problem.points != 0 && problem.mesh_side() < Window::side())
    throw OptionError(fmt::format("--points {}: give at least 4, or 0", problem.points));
  bool const by_objects = options.choice("way", {"mpi", "objects"}) == 1;
  bool const verifies = options.choice("verify", {"no", "yes"}) == 1;
  MeshOptions const of_mesh{options.text("transposes"), options.integer("mesh-ranks", 0, 1 << 30)};
  Result result = by_objects ? run_objects(world, of_mesh) : run_plain(world);
  MPI_Allreduce(MPI_IN_PLACE, &result.seconds, 1, MPI_DOUBLE, MPI_MAX, world.communicator);
  int right = 1;
  if (world.rank == 0) {
    constexpr double most_drift = 0.01;
    constexpr double most_salt_error = 0.05;
    double const drift = drift_of(result.energies);
    double const salt = salt_error(result.energies.front());
    right = drift < most_drift && salt < most_salt_error ? 1 : 0;
    if (verifies) {
      Result const alone = run_plain(group_of(MPI_COMM_SELF));
      right = right != 0 && alone.hash == result.hash && alone.energies == result.energies ? 1 : 0;
    }
    fmt::print("answer: steps={} right={} energy={:.9f} drift={:.3e} salt-error={:.1e} hash={:016x}\n",
               problem.steps, right != 0 ? "yes" : "NO", result.energies.back().total(), drift, salt,
               result.hash);
    fmt::print("time: ranks={} way={} seconds={:.6f}\n", world.ranks,
               by_objects ? of_mesh.transposes : options.text("way"), result.seconds);
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
      .add("points", "6", "of the charges' mesh, for each cell in each dimension; 0: there are no charges")
      .add("transposes", "direct",
           "of the mesh: direct, mesh, grid, hypercube, stream or auto; mpi or mpi_nonblocking")
      .add("mesh-ranks", "0", "so many ranks have the mesh; 0: all")
      .add("seed", "1", "of the velocities")
      .add("way", "objects", "objects, or mpi: by MPI's collectives")
      .add("verify", "yes", "no: the result is not compared with one rank's");
  return run_example(argc, argv, options, run_and_check);
}

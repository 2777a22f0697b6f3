// SPDX-License-Identifier: BSD-3-Clause
#include "molecules/plain.hpp"

#include "common/blocks.hpp"
#include "molecules/plain_mesh.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace thalweg::examples::molecules {
namespace {

using Atoms = std::map<Cell, std::vector<Atom>>;

Atoms all_first_atoms() {
  Atoms all;
  for (std::int64_t x = 0; x < problem.cells; ++x)
    for (std::int64_t y = 0; y < problem.cells; ++y)
      for (std::int64_t z = 0; z < problem.cells; ++z)
        all[{x, y, z}] = first_atoms({x, y, z});
  return all;
}

/// Those of a step that this rank has computed.
using Interactions = std::map<std::pair<Cell, int>, Interaction>;

Interaction const& interaction_of(Atoms const& all, Pair const& pair, Interactions& known) {
  auto const [found, is_new] = known.try_emplace({pair.first, pair.half_neighbor});
  if (!is_new)
    return found->second;
  std::vector<double> const first = coordinates_of(all.at(pair.first));
  Cell const second = shifted(pair.first, offset_of(pair.half_neighbor));
  found->second =
      pair.half_neighbor == 0 ? interact_within(first) : interact(first, coordinates_of(all.at(second)));
  return found->second;
}

/// The forces on a cell's atoms, in the order of slots; pairs between two ranks are computed by both.
std::vector<double> forces_on(Cell const& cell, Atoms const& all, Interactions& known, Potential& potential) {
  std::vector<double> sum(3 * all.at(cell).size());
  for (int slot = 0; slot < slots; ++slot) {
    Interaction const& found = interaction_of(all, pair_of(cell, slot), known);
    bool const is_first = slot < half_neighbors;
    std::ranges::transform(sum, is_first ? found.on_first : found.on_second, sum.begin(), std::plus());
    potential += is_first ? found.potential : Potential();
  }
  return sum;
}

/// All ranks' atoms become known to all.
void share(Atoms& all, Range const& own, Group const& world) {
  std::vector<Atom> mine;
  std::int64_t number = 0;
  for (auto const& [cell, atoms] : all)
    if (std::int64_t const one = number++; one >= own.begin && one < own.end)
      mine.insert(mine.end(), atoms.begin(), atoms.end());
  std::vector<int> bytes(static_cast<std::size_t>(world.ranks));
  int const of_mine = static_cast<int>(mine.size() * sizeof(Atom));
  MPI_Allgather(&of_mine, 1, MPI_INT, bytes.data(), 1, MPI_INT, world.communicator);
  std::vector<int> begins(bytes.size());
  for (std::size_t rank = 1; rank < bytes.size(); ++rank)
    begins[rank] = begins[rank - 1] + bytes[rank - 1];
  std::vector<Atom> shared(static_cast<std::size_t>(begins.back() + bytes.back()) / sizeof(Atom));
  MPI_Allgatherv(mine.data(), of_mine, MPI_BYTE, shared.data(), bytes.data(), begins.data(), MPI_BYTE,
                 world.communicator);
  auto from = shared.begin();
  for (auto& [cell, atoms] : all) {
    std::copy(from, from + static_cast<std::ptrdiff_t>(atoms.size()), atoms.begin());
    from += static_cast<std::ptrdiff_t>(atoms.size());
  }
}

void go_to_their_cells(Atoms& all) {
  Atoms sorted = all;
  for (auto& [cell, atoms] : sorted)
    atoms.clear();
  for (auto const& [cell, atoms] : all)
    for (Atom const& atom : atoms)
      sorted[cell_of(atom.position)].push_back(atom);
  for (auto& [cell, atoms] : sorted)
    std::ranges::sort(atoms, {}, &Atom::id);
  all = std::move(sorted);
}

/// A step of this rank's cells, and their energies.
Energies advance(Atoms& all, std::int64_t step, Range const& own, Group const& world) {
  std::map<Cell, std::vector<double>> forces;
  Energies sum{step, 0, 0, 0};
  std::map<Cell, Potential> potentials;
  Interactions known;
  std::int64_t number = 0;
  for (auto const& [cell, atoms] : all)
    if (std::int64_t const one = number++; one >= own.begin && one < own.end)
      forces[cell] = forces_on(cell, all, known, potentials[cell]);
  if (problem.points != 0) {
    PlainMesh charged(world);
    for (auto const& [cell, of_cell] : forces)
      charged.add(cell, all.at(cell));
    charged.convolve();
    for (auto& [cell, of_cell] : forces)
      potentials[cell].electric += charged.pull(cell, all.at(cell), of_cell);
  }
  for (auto const& [cell, of_cell] : forces) {
    std::vector<Atom>& atoms = all[cell];
    if (step > 0)
      kick(atoms, of_cell);
    sum = Together()(sum, Energies::of(step, kinetic_energy(atoms), potentials[cell]));
    kick(atoms, of_cell);
    drift(atoms);
  }
  return sum;
}

} // namespace

Result run_plain(Group const& world) {
  Atoms all = all_first_atoms();
  Range const own = part_of({0, static_cast<std::int64_t>(all.size())}, world.ranks, world.rank);
  Result result;
  MPI_Barrier(world.communicator);
  double const begin = MPI_Wtime();
  for (std::int64_t step = 0; step <= problem.steps; ++step) {
    Energies sum = advance(all, step, own, world);
    std::array<std::int64_t, 3> energies{sum.kinetic, sum.near, sum.electric};
    MPI_Allreduce(MPI_IN_PLACE, energies.data(), 3, MPI_INT64_T, MPI_SUM, world.communicator);
    sum = {step, energies[0], energies[1], energies[2]};
    result.energies.push_back(sum);
    share(all, own, world);
    if ((step + 1) % problem.period == 0)
      go_to_their_cells(all);
  }
  result.seconds = MPI_Wtime() - begin;
  for (auto const& [cell, atoms] : all)
    result.hash += hash_of(atoms);
  return result;
}

} // namespace thalweg::examples::molecules

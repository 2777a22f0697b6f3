// SPDX-License-Identifier: BSD-3-Clause
#include "molecules/cells.hpp"

#include "common/random.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace thalweg::examples::molecules {
namespace {

struct Pull {
  double force = 0; ///< away from each other
  double potential = 0;
};

Pull near_at(double r) {
  double const s6 = 1 / (r * r * r * r * r * r);
  return {24 * (2 * s6 * s6 - s6) / r, 4 * (s6 * s6 - s6)};
}

/// Of two charges of 1.
Pull electric_at(double r) {
  constexpr double beta = Problem::splitting;
  double const direct = std::erfc(beta * r) / r;
  return {direct / r + 2 * beta * std::numbers::inv_sqrtpi * std::exp(-beta * beta * r * r) / r, direct};
}

/// So that both end at the cutoff.
Pull ending(Pull const& at_r, Pull const& at_cutoff, double r) {
  return {at_r.force - at_cutoff.force,
          at_r.potential - at_cutoff.potential + (r - Problem::cutoff) * at_cutoff.force};
}

double nearest(double difference) {
  double const box = problem.box_side();
  return difference > box / 2 ? difference - box : difference < -box / 2 ? difference + box : difference;
}

constexpr std::size_t of_atom = 4; // numbers, among coordinates

/// Adds what atoms i of one and j of another cell do to each other.
void add(std::span<double const> first, std::size_t i, std::span<double const> second, std::size_t j,
         std::span<double> on_first, std::span<double> on_second, Potential& potential) {
  double const* const one = first.data() + of_atom * i;
  double const* const other = second.data() + of_atom * j;
  std::array<double, 3> apart{};
  double r2 = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    apart[d] = nearest(one[d] - other[d]);
    r2 += apart[d] * apart[d];
  }
  if (r2 >= Problem::cutoff * Problem::cutoff)
    return;
  static Pull const near_cutoff = near_at(Problem::cutoff);
  static Pull const electric_cutoff = electric_at(Problem::cutoff);
  double const r = std::sqrt(r2);
  Pull const near = ending(near_at(r), near_cutoff, r);
  double force = near.force;
  potential.near += near.potential;
  if (double const charges = one[3] * other[3]; charges != 0) {
    Pull const electric = ending(electric_at(r), electric_cutoff, r);
    force += charges * electric.force;
    potential.electric += charges * electric.potential;
  }
  for (std::size_t d = 0; d < 3; ++d) {
    on_first[3 * i + d] += force * apart[d] / r;
    on_second[3 * j + d] -= force * apart[d] / r;
  }
}

} // namespace

Cell shifted(Cell const& from, Cell const& by) {
  Cell to;
  for (std::size_t d = 0; d < 3; ++d)
    to[d] = (from[d] + by[d] + problem.cells) % problem.cells;
  return to;
}

Cell offset_of(int half_neighbor) {
  constexpr int itself = 13; // of 27 in a row, of which those behind it are the half
  int const place = itself + half_neighbor;
  return {place / 9 - 1, place / 3 % 3 - 1, place % 3 - 1};
}

Pair pair_of(Cell const& cell, int slot) {
  if (slot < half_neighbors)
    return {cell, slot};
  int const half = slot - half_neighbors + 1;
  Cell const offset = offset_of(half);
  return {shifted(cell, {-offset[0], -offset[1], -offset[2]}), half};
}

Cell cell_of(Vector const& position) {
  Cell cell;
  for (std::size_t d = 0; d < 3; ++d)
    cell[d] = std::clamp<std::int64_t>(
        static_cast<std::int64_t>(std::floor(position[d] / problem.cell_side())), 0, problem.cells - 1);
  return cell;
}

std::vector<Atom> first_atoms(Cell const& cell) {
  std::vector<Atom> atoms;
  std::int64_t const number = (cell[0] * problem.cells + cell[1]) * problem.cells + cell[2];
  std::int64_t const of_cell = problem.fill * problem.fill * problem.fill;
  Vector mean{};
  for (std::int64_t i = 0; i < of_cell; ++i) {
    Atom atom;
    atom.id = number * of_cell + i;
    Cell const place{i / problem.fill / problem.fill, i / problem.fill % problem.fill, i % problem.fill};
    std::int64_t site = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      site += cell[d] * problem.fill + place[d];
      atom.position[d] = Problem::spacing * (0.01 + static_cast<double>(cell[d] * problem.fill + place[d]));
      atom.velocity[d] = random_signed(problem.seed, static_cast<std::uint64_t>(3 * atom.id) + d);
      mean[d] += atom.velocity[d] / static_cast<double>(of_cell);
    }
    if (problem.points != 0)
      atom.charge = site % 2 == 0 ? 1 : -1; // rock salt
    atoms.push_back(atom);
  }
  for (Atom& atom : atoms)
    for (std::size_t d = 0; d < 3; ++d)
      atom.velocity[d] -= mean[d];
  return atoms;
}

std::vector<double> coordinates_of(std::span<Atom const> atoms) {
  std::vector<double> coordinates;
  coordinates.reserve(of_atom * atoms.size());
  for (Atom const& atom : atoms) {
    coordinates.insert(coordinates.end(), atom.position.begin(), atom.position.end());
    coordinates.push_back(atom.charge);
  }
  return coordinates;
}

Potential& Potential::operator+=(Potential const& other) {
  near += other.near;
  electric += other.electric;
  return *this;
}

Interaction interact(std::span<double const> first, std::span<double const> second) {
  std::size_t const of_first = first.size() / of_atom;
  std::size_t const of_second = second.size() / of_atom;
  Interaction found{std::vector<double>(3 * of_first), std::vector<double>(3 * of_second), {}};
  for (std::size_t i = 0; i < of_first; ++i)
    for (std::size_t j = 0; j < of_second; ++j)
      add(first, i, second, j, found.on_first, found.on_second, found.potential);
  return found;
}

Interaction interact_within(std::span<double const> cell) {
  std::size_t const atoms = cell.size() / of_atom;
  Interaction found{std::vector<double>(3 * atoms), {}, {}};
  for (std::size_t i = 0; i < atoms; ++i)
    for (std::size_t j = i + 1; j < atoms; ++j)
      add(cell, i, cell, j, found.on_first, found.on_first, found.potential);
  return found;
}

void kick(std::span<Atom> atoms, std::span<double const> forces) {
  for (std::size_t i = 0; i < atoms.size(); ++i)
    for (std::size_t d = 0; d < 3; ++d)
      atoms[i].velocity[d] += Problem::time_step / 2 * forces[3 * i + d];
}

void drift(std::span<Atom> atoms) {
  double const box = problem.box_side();
  for (Atom& atom : atoms)
    for (std::size_t d = 0; d < 3; ++d) {
      double& x = atom.position[d];
      x += Problem::time_step * atom.velocity[d];
      x = x < 0 ? x + box : x >= box ? x - box : x;
    }
}

double kinetic_energy(std::span<Atom const> atoms) {
  double sum = 0;
  for (Atom const& atom : atoms)
    for (double const v : atom.velocity)
      sum += v * v / 2;
  return sum;
}

std::uint64_t hash_of(std::span<Atom const> atoms) {
  std::uint64_t sum = 0;
  for (Atom const& atom : atoms) {
    auto word = static_cast<std::uint64_t>(atom.id);
    for (double const x : atom.position)
      word = mix(word ^ std::bit_cast<std::uint64_t>(x));
    sum += word;
  }
  return sum;
}

Energies Energies::of(std::int64_t step, double kinetic, Potential const& potential) {
  return {step, std::llround(kinetic / unit), std::llround(potential.near / unit),
          std::llround(potential.electric / unit)};
}

} // namespace thalweg::examples::molecules

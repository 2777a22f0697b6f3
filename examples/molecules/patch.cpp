// SPDX-License-Identifier: BSD-3-Clause
#include "molecules/patch.hpp"

#include "molecules/planes.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace thalweg::examples::molecules {

namespace {

/// The neighbors of a cell, itself left out.
std::array<Cell, slots - 1> neighbors_of(Cell const& cell) {
  std::array<Cell, slots - 1> all;
  for (int half = 1; half < half_neighbors; ++half) {
    Cell const offset = offset_of(half);
    all[static_cast<std::size_t>(2 * half - 2)] = shifted(cell, offset);
    all[static_cast<std::size_t>(2 * half - 1)] = shifted(cell, {-offset[0], -offset[1], -offset[2]});
  }
  return all;
}

} // namespace

Patch::Patch() : atoms_(first_atoms(at())) {}

thalweg::task Patch::run(std::int64_t last_step) {
  std::vector<std::array<std::int64_t, 4>> where;
  for (int slot = 0; slot < slots; ++slot) {
    Pair const pair = pair_of(at(), slot);
    where.push_back({pair.first[0], pair.first[1], pair.first[2], pair.half_neighbor});
  }
  auto readers = computes->section(where);
  for (; step_ <= last_step; ++step_) {
    send_charges(); // what goes the longer way first
    readers.call<&Compute::coordinates>(step_, at(), coordinates_of(atoms_));
    std::array<Part, slots> parts;
    for (int i = 0; i < slots; ++i) {
      Part part = co_await parts_.take(static_cast<std::uint64_t>(step_));
      auto const slot = static_cast<std::size_t>(part.slot);
      parts[slot] = std::move(part);
    }
    std::vector<double> all(3 * atoms_.size());
    Potential potential;
    for (Part const& part : parts) { // in the order of slots: sums are the same on any number of ranks
      std::ranges::transform(all, part.forces, all.begin(), std::plus());
      potential += part.potential;
    }
    if (problem.points != 0) {
      std::vector<double> at_points(Window::plane_size() * static_cast<std::size_t>(Window::side()));
      for (std::int64_t i = 0; i < Window::side(); ++i) {
        Layer const layer = co_await layers_.take();
        std::ranges::copy(layer.potentials, at_points.begin() + layer.plane * static_cast<std::ptrdiff_t>(
                                                                                  Window::plane_size()));
      }
      potential.electric += pull(Window(at()), at_points, atoms_, all);
    }
    if (step_ > 0)
      kick(atoms_, all);
    array().contribute<&Patch::energies>(Together(), Energies::of(step_, kinetic_energy(atoms_), potential));
    kick(atoms_, all);
    drift(atoms_);
    if ((step_ + 1) % problem.period != 0)
      continue;
    send_leaving();
    for (int i = 1; i < slots; ++i) {
      std::vector<Atom> const some = co_await entering_.take(static_cast<std::uint64_t>(step_));
      atoms_.insert(atoms_.end(), some.begin(), some.end());
    }
    std::ranges::sort(atoms_, {}, &Atom::id);
  }
}

void Patch::send_charges() {
  if (problem.points == 0)
    return;
  Window const window(at());
  std::vector<std::int64_t> const charges = spread(window, atoms_);
  for (std::int64_t i = 0; i < Window::side(); ++i)
    (*mesh.planes)[{window.point(0, i)}].call<&Plane::charges>(
        at(),
        std::span(charges).subspan(static_cast<std::size_t>(i) * Window::plane_size(), Window::plane_size()));
}

void Patch::potentials(std::int64_t plane, std::span<double const> at_points) {
  layers_.put(0, {plane, {at_points.begin(), at_points.end()}});
}

void Patch::send_leaving() {
  std::size_t left = 0;
  for (Cell const& neighbor : neighbors_of(at())) {
    std::vector<Atom> leaving;
    for (Atom const& atom : atoms_)
      if (cell_of(atom.position) == neighbor)
        leaving.push_back(atom);
    left += leaving.size();
    array()[neighbor].call<&Patch::enter>(step_, leaving);
  }
  std::size_t const before = atoms_.size();
  std::erase_if(atoms_, [&](Atom const& atom) { return cell_of(atom.position) != at(); });
  if (atoms_.size() + left != before)
    throw std::runtime_error("an atom has passed a whole cell: choose a smaller --period");
}

void Patch::forces(std::int64_t step, int slot, std::span<double const> on_atoms, Potential potential) {
  parts_.put(static_cast<std::uint64_t>(step), {slot, {on_atoms.begin(), on_atoms.end()}, potential});
}

void Patch::enter(std::int64_t step, std::span<Atom const> atoms) {
  entering_.put(static_cast<std::uint64_t>(step), {atoms.begin(), atoms.end()});
}

void Patch::energies(Energies of_all) {
  if (at() != Cell{0, 0, 0})
    return;
  energies_.resize(std::max(energies_.size(), static_cast<std::size_t>(of_all.step + 1)));
  energies_[static_cast<std::size_t>(of_all.step)] = of_all;
}

void Compute::coordinates(std::int64_t step, Cell of, std::span<double const> values) {
  Cell const own{at()[0], at()[1], at()[2]};
  auto const half = static_cast<int>(at()[3]);
  if (half == 0) {
    Interaction const found = interact_within(values);
    (*patches)[own].call<&Patch::forces>(step, 0, found.on_first, found.potential);
    return;
  }
  if (!first_) {
    first_ = {of, {values.begin(), values.end()}};
    return;
  }
  bool const is_second = of != own;
  Interaction const found = is_second ? interact(first_->values, values) : interact(values, first_->values);
  Cell const second = is_second ? of : first_->of;
  first_.reset();
  (*patches)[own].call<&Patch::forces>(step, half, found.on_first, found.potential);
  (*patches)[second].call<&Patch::forces>(step, half_neighbors - 1 + half, found.on_second, Potential());
}

} // namespace thalweg::examples::molecules

// SPDX-License-Identifier: BSD-3-Clause
#include "density/electrons.hpp"

#include <algorithm>
#include <utility>

namespace thalweg::examples::density {
namespace {

std::span<Complex const> row_of(Plane const& plane, std::int64_t row) {
  return std::span(plane).subspan(static_cast<std::size_t>(row) * problem.row(), problem.row());
}

void note(std::vector<Energies>& known, Energies const& one) {
  known.resize(std::max(known.size(), static_cast<std::size_t>(one.step + 1)));
  known[static_cast<std::size_t>(one.step)] = one;
}

} // namespace

thalweg::coordinates<2> place_of(std::int64_t state, std::int64_t plane) {
  return problem.by_plane ? thalweg::coordinates<2>{plane, state} : thalweg::coordinates<2>{state, plane};
}

thalweg::coordinates<2> shape_of_states() {
  return place_of(problem.states, problem.side);
}

bool Incoming::take(std::int64_t row, std::span<Complex const> values, std::int64_t rows) {
  plane_.resize(problem.plane()); // rows that do not come are nothing
  std::ranges::copy(values, plane_.begin() + row * problem.side);
  return ++rows_ == rows;
}

Plane Incoming::take_all() {
  rows_ = 0;
  return std::exchange(plane_, {});
}

State::State() : waves_(first_waves(state(), plane())) {}

thalweg::task State::run(std::int64_t steps) {
  auto& overlap = *objects.overlaps;
  for (std::int64_t step = 0; step < steps; ++step) {
    if (has_waves(plane())) {
      overlap[{plane()}].call<&Overlap::add>(state(), waves_);
      waves_ = co_await orthonormal_.take();
    }
    send_to_real();
    Plane real = co_await real_planes_.take();
    (*objects.densities)[{plane()}].call<&Density::add>(squares_of(real));
    std::vector<double> const potential = co_await potentials_.take();
    multiply(potential, real);
    send_to_fourier(real);
    std::int64_t kinetic = 0;
    if (has_waves(plane())) {
      Plane const pull = co_await pulls_.take();
      kinetic = descend(waves_, pull, plane());
    }
    array().contribute<&State::energies>(Together(), Energies{step, kinetic, 0});
  }
}

void State::orthonormal(std::span<Complex const> waves) {
  orthonormal_.put(0, {waves.begin(), waves.end()});
}

// Planes without waves have nothing to send, so exchanges are uneven.
void State::send_to_real() {
  objects.to_real->begin();
  if (has_waves(plane())) {
    Plane half = waves_;
    to_real(half);
    for (std::int64_t i = 0; i < problem.side; ++i) {
      std::int64_t const to = (plane() + i) % problem.side;
      (*objects.to_real)[place_of(state(), to)].call<&State::row_to_real>(plane(), row_of(half, to));
    }
  }
  objects.to_real->end();
}

void State::row_to_real(std::int64_t plane, std::span<Complex const> values) {
  if (!real_.take(plane, values, planes_with_waves()))
    return;
  Plane all = real_.take_all();
  across_to_real(all);
  real_planes_.put(0, std::move(all));
}

void State::potential(std::span<double const> values) {
  potentials_.put(0, {values.begin(), values.end()});
}

void State::send_to_fourier(Plane& real) {
  across_to_fourier(real);
  objects.to_fourier->begin();
  for (std::int64_t i = 0; i < problem.side; ++i)
    if (std::int64_t const to = (plane() + i) % problem.side; has_waves(to))
      (*objects.to_fourier)[place_of(state(), to)].call<&State::row_to_fourier>(plane(), row_of(real, to));
  objects.to_fourier->end();
}

void State::row_to_fourier(std::int64_t plane, std::span<Complex const> values) {
  if (!pull_.take(plane, values, problem.side))
    return;
  Plane all = pull_.take_all();
  to_fourier(all);
  pulls_.put(0, std::move(all));
}

void State::energies(Energies of_all) {
  if (state() == 0 && plane() == 0)
    note(energies_, of_all);
}

void Density::add(std::span<std::int64_t const> squares) {
  density::add(squares_, squares);
  if (++states_ < problem.states)
    return;
  states_ = 0;
  density_ = density_of(std::exchange(squares_, {}));
  Plane plane(density_.begin(), density_.end());
  to_fourier(plane);
  for (std::int64_t to = 0; to < problem.side; ++to)
    array()[{to}].call<&Density::row_to_fourier>(at()[0], row_of(plane, to));
}

void Density::row_to_fourier(std::int64_t plane, std::span<Complex const> values) {
  if (!fourier_.take(plane, values, problem.side))
    return;
  Plane all = fourier_.take_all();
  across_to_fourier(all);
  repel(all, at()[0]);
  across_to_real(all);
  for (std::int64_t to = 0; to < problem.side; ++to)
    array()[{to}].call<&Density::row_to_real>(at()[0], row_of(all, to));
}

void Density::row_to_real(std::int64_t plane, std::span<Complex const> values) {
  if (!real_.take(plane, values, problem.side))
    return;
  Plane charges = real_.take_all();
  to_real(charges);
  std::int64_t energy = 0;
  std::vector<double> const potential = potential_of(density_, charges, at()[0], energy);
  array().contribute<&Density::energies>(Together(), Energies{step_++, 0, energy});
  std::vector<thalweg::coordinates<2>> readers;
  for (std::int64_t state = 0; state < problem.states; ++state)
    readers.push_back(place_of(state, at()[0]));
  objects.states->section(readers).along(objects.route).call<&State::potential>(potential);
}

void Density::energies(Energies of_all) {
  if (at()[0] == 0)
    note(energies_, of_all);
}

void Overlap::add(std::int64_t state, std::span<Complex const> waves) {
  states_.resize(static_cast<std::size_t>(problem.states));
  states_[static_cast<std::size_t>(state)].assign(waves.begin(), waves.end());
  if (++added_ == problem.states)
    full_.put(0, true);
}

thalweg::task Overlap::run(std::int64_t steps) {
  for (std::int64_t step = 0; step < steps; ++step) {
    if (has_waves(at()[0]))
      co_await full_.take();
    added_ = 0;
    Wholes own = states_.empty() ? Wholes() : overlaps_of(states_);
    own.resize(static_cast<std::size_t>(problem.states * (problem.states + 1)));
    Wholes const of_all = co_await array().reduce(Sum(), own);
    orthonormalize(states_, of_all);
    for (std::size_t state = 0; state < states_.size(); ++state)
      (*objects.states)[place_of(static_cast<std::int64_t>(state), at()[0])].call<&State::orthonormal>(
          states_[state]);
  }
}

} // namespace thalweg::examples::density

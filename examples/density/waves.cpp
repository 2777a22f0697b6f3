// SPDX-License-Identifier: BSD-3-Clause
#include "density/waves.hpp"

#include "common/random.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace thalweg::examples::density {
namespace {

constexpr double square_unit = 0x1p-32;
constexpr double electrons_of_state = 2;
constexpr double pi = std::numbers::pi;

/// Waves are numbered as transforms have them: the second half are negative ones.
std::int64_t wave(std::int64_t number) {
  return 2 * number > problem.side ? number - problem.side : number;
}

std::int64_t most_waves() {
  return problem.side / 4;
}

/// |G|^2 of waves.
double square(std::int64_t x, std::int64_t y, std::int64_t z) {
  constexpr double unit = 2 * pi / Problem::box;
  return unit * unit * static_cast<double>(x * x + y * y + z * z);
}

/// use(its place, |G|^2) for each wave of a Fourier plane that states have.
template <typename Use>
void each_wave(std::int64_t plane, Use use) {
  std::int64_t const x = wave(plane);
  std::int64_t const most = most_waves();
  std::size_t place = 0;
  for (std::int64_t j = 0; j < problem.side; ++j)
    for (std::int64_t k = 0; k < problem.side; ++k, ++place) {
      std::int64_t const y = wave(j);
      std::int64_t const z = wave(k);
      if (x * x + y * y + z * z <= most * most)
        use(place, square(x, y, z));
    }
}

/// Of one ion in the middle of each octant, a smooth well.
double ions_at(double x, double y, double z) {
  constexpr double depth = 4;
  double const quarter = Problem::box / 4;
  double r2 = 0;
  for (double const at : {x, y, z}) {
    double const apart = std::min(std::abs(at - quarter), std::abs(at - 3 * quarter));
    r2 += apart * apart;
  }
  return -depth * std::exp(-r2);
}

double downhill() {
  return 1 / (square(most_waves(), 0, 0) / 2 + 4);
}

} // namespace

bool has_waves(std::int64_t plane) {
  return std::abs(wave(plane)) <= most_waves();
}

std::int64_t planes_with_waves() {
  return 2 * most_waves() + 1;
}

Plane first_waves(std::int64_t state, std::int64_t plane) {
  Plane waves(problem.plane());
  each_wave(plane, [&](std::size_t place, double g2) {
    auto const number =
        static_cast<std::uint64_t>((state * problem.side + plane) * problem.side * problem.side) + place;
    waves[place] = std::exp(-g2 / 2) * Complex(random_signed(problem.seed, 2 * number),
                                               random_signed(problem.seed, 2 * number + 1));
  });
  return waves;
}

void add(Wholes& sum, std::span<std::int64_t const> other) {
  sum.resize(other.size());
  std::ranges::transform(sum, other, sum.begin(), std::plus());
}

Wholes squares_of(Plane const& waves) {
  Wholes squares;
  squares.reserve(waves.size());
  for (Complex const& value : waves)
    squares.push_back(std::llround(std::norm(value) / square_unit));
  return squares;
}

std::vector<double> density_of(Wholes const& squares) {
  constexpr double volume = Problem::box * Problem::box * Problem::box;
  std::vector<double> density;
  density.reserve(squares.size());
  for (std::int64_t const square : squares)
    density.push_back(electrons_of_state / volume * square_unit * static_cast<double>(square));
  return density;
}

void repel(Plane& density, std::int64_t plane) {
  std::size_t place = 0;
  for (std::int64_t j = 0; j < problem.side; ++j)
    for (std::int64_t k = 0; k < problem.side; ++k, ++place) {
      double const g2 = square(wave(plane), wave(j), wave(k));
      density[place] *= g2 == 0 ? 0 : 4 * pi / g2;
    }
}

std::vector<double> potential_of(std::span<double const> density, Plane const& of_charges, std::int64_t plane,
                                 std::int64_t& energy) {
  double const points = std::pow(static_cast<double>(problem.side), 3);
  double const apart = Problem::box / static_cast<double>(problem.side);
  double const exchange = -std::cbrt(3 / pi); // Slater's, by the cube root of the density
  std::vector<double> potential;
  potential.reserve(density.size());
  double sum = 0;
  std::size_t place = 0;
  for (std::int64_t i = 0; i < problem.side; ++i)
    for (std::int64_t k = 0; k < problem.side; ++k, ++place) {
      double const of_ions = ions_at(apart * static_cast<double>(i), apart * static_cast<double>(plane),
                                     apart * static_cast<double>(k));
      double const charges = of_charges[place].real() / points;
      double const exchanged = exchange * std::cbrt(density[place]);
      potential.push_back(of_ions + charges + exchanged);
      sum += density[place] * (of_ions + charges / 2 + 3 * exchanged / 4);
    }
  energy += std::llround(sum * apart * apart * apart / Energies::unit);
  return potential;
}

void multiply(std::span<double const> potential, Plane& waves) {
  for (std::size_t i = 0; i < waves.size(); ++i)
    waves[i] *= potential[i];
}

std::int64_t descend(Plane& waves, Plane const& pull, std::int64_t plane) {
  double const points = std::pow(static_cast<double>(problem.side), 3);
  double kinetic = 0;
  each_wave(plane, [&](std::size_t place, double g2) {
    kinetic += electrons_of_state * g2 / 2 * std::norm(waves[place]);
    waves[place] -= downhill() * (g2 / 2 * waves[place] + pull[place] / points);
  });
  return std::llround(kinetic / Energies::unit);
}

std::uint64_t hash_of(Plane const& waves, std::int64_t state, std::int64_t plane) {
  auto word = static_cast<std::uint64_t>(state * problem.side + plane);
  for (Complex const& value : waves)
    word = mix(mix(word ^ std::bit_cast<std::uint64_t>(value.real())) ^
               std::bit_cast<std::uint64_t>(value.imag()));
  return word;
}

} // namespace thalweg::examples::density

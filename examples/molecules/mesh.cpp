// SPDX-License-Identifier: BSD-3-Clause
#include "molecules/mesh.hpp"

#include "molecules/transforms.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace thalweg::examples::molecules {
namespace {

constexpr double charge_unit = 0x1p-40;
constexpr auto points = static_cast<std::size_t>(spline_points);

/// The spline of an order at u, u + 1, .. by its recursion (equation 4.1 there).
std::array<double, points> spline(double u, std::int64_t order) {
  std::array<double, points> values{u, 1 - u};
  for (std::int64_t n = 3; n <= order; ++n)
    for (auto j = static_cast<std::size_t>(n); j-- > 0;) {
      double const at = u + static_cast<double>(j);
      double const before = j == 0 ? 0 : values[j - 1];
      values[j] = (at * values[j] + (static_cast<double>(n) - at) * before) / static_cast<double>(n - 1);
    }
  return values;
}

/// An atom's weights at points of its window, in a dimension: from `last` downwards.
struct Weights {
  std::int64_t last = 0;
  std::array<double, points> values{};
  std::array<double, points> slopes{}; ///< by length
};

using AtomWeights = std::array<Weights, 3>;

AtomWeights weights_of(Window const& window, Atom const& atom) {
  std::int64_t const side = problem.mesh_side();
  double const points_by_length = static_cast<double>(side) / problem.box_side();
  AtomWeights found;
  for (std::size_t d = 0; d < 3; ++d) {
    double const at = atom.position[d] * points_by_length;
    double const whole = std::floor(at);
    Weights& one = found[d];
    one.last = (static_cast<std::int64_t>(whole) - window.begin[d] + side) % side;
    if (one.last < spline_points - 1 || one.last >= Window::side())
      throw std::runtime_error("an atom is too far outside of its cell: choose a smaller --period");
    one.values = spline(at - whole, spline_points);
    auto const lower = spline(at - whole, spline_points - 1);
    for (std::size_t j = 0; j < points; ++j)
      one.slopes[j] = points_by_length * (lower[j] - (j == 0 ? 0 : lower[j - 1]));
  }
  return found;
}

/// use(place in the window, i, j, k) for each point of an atom.
template <typename Use>
void each_point(AtomWeights const& weights, Use use) {
  std::int64_t const side = Window::side();
  for (std::size_t i = 0; i < points; ++i)
    for (std::size_t j = 0; j < points; ++j)
      for (std::size_t k = 0; k < points; ++k) {
        std::int64_t const x = weights[0].last - static_cast<std::int64_t>(i);
        std::int64_t const y = weights[1].last - static_cast<std::int64_t>(j);
        std::int64_t const z = weights[2].last - static_cast<std::int64_t>(k);
        use(static_cast<std::size_t>((x * side + y) * side + z), i, j, k);
      }
}

/// By the number of a wave: how much the splines have taken of it (|b|^2 in equation 4.4 there).
std::vector<double> corrections() {
  std::int64_t const side = problem.mesh_side();
  auto const at_points = spline(0, spline_points); // the first is 0
  std::vector<double> found;
  for (std::int64_t m = 0; m < side; ++m) {
    Complex sum = 0;
    for (std::size_t k = 0; k + 1 < points; ++k) {
      auto const turns = static_cast<double>(m) * static_cast<double>(k) / static_cast<double>(side);
      sum += at_points[k + 1] * std::polar(1.0, 2 * std::numbers::pi * turns);
    }
    found.push_back(1 / std::norm(sum));
  }
  return found;
}

/// By what a wave's charges become potentials (equation 4.7 there, twice).
double influence(std::array<std::int64_t, 3> const& wave) {
  static std::vector<double> const correction = corrections();
  std::int64_t const side = problem.mesh_side();
  double const box = problem.box_side();
  double m2 = 0;
  double corrected = 1;
  for (std::int64_t const one : wave) {
    double const m = static_cast<double>(2 * one > side ? one - side : one) / box;
    m2 += m * m;
    corrected *= correction[static_cast<std::size_t>(one)];
  }
  if (m2 == 0)
    return 0; // charges that do not add up to nothing have a background that does
  constexpr double beta = Problem::splitting;
  constexpr double pi = std::numbers::pi;
  return corrected * std::exp(-pi * pi * m2 / (beta * beta)) / (pi * box * box * box * m2);
}

} // namespace

Window::Window(Cell const& cell) {
  for (std::size_t d = 0; d < 3; ++d)
    begin[d] = (cell[d] * problem.points - (spline_points - 1) - outside_points + problem.mesh_side()) %
               problem.mesh_side();
}

std::int64_t Window::point(std::size_t dimension, std::int64_t i) const {
  return (begin[dimension] + i) % problem.mesh_side();
}

std::vector<std::int64_t> spread(Window const& window, std::span<Atom const> atoms) {
  std::vector<std::int64_t> charges(Window::plane_size() * static_cast<std::size_t>(Window::side()));
  for (Atom const& atom : atoms) {
    AtomWeights const weights = weights_of(window, atom);
    each_point(weights, [&](std::size_t place, std::size_t i, std::size_t j, std::size_t k) {
      double const weight = weights[0].values[i] * weights[1].values[j] * weights[2].values[k];
      charges[place] += std::llround(atom.charge * weight / charge_unit);
    });
  }
  return charges;
}

double pull(Window const& window, std::span<double const> potentials, std::span<Atom const> atoms,
            std::span<double> forces) {
  double energy = 0;
  for (std::size_t atom = 0; atom < atoms.size(); ++atom) {
    AtomWeights const weights = weights_of(window, atoms[atom]);
    auto const& [x, y, z] = weights;
    double potential = 0;
    Vector slope{};
    each_point(weights, [&](std::size_t place, std::size_t i, std::size_t j, std::size_t k) {
      double const value = potentials[place];
      potential += value * x.values[i] * y.values[j] * z.values[k];
      slope[0] += value * x.slopes[i] * y.values[j] * z.values[k];
      slope[1] += value * x.values[i] * y.slopes[j] * z.values[k];
      slope[2] += value * x.values[i] * y.values[j] * z.slopes[k];
    });
    double const charge = atoms[atom].charge;
    energy +=
        charge * (potential / 2 - charge * Problem::splitting * std::numbers::inv_sqrtpi); // without itself
    for (std::size_t d = 0; d < 3; ++d)
      forces[3 * atom + d] -= charge * slope[d];
  }
  return energy;
}

std::vector<Complex> spectrum_of(std::span<std::int64_t const> charges) {
  std::vector<double> plane;
  plane.reserve(charges.size());
  for (std::int64_t const charge : charges)
    plane.push_back(charge_unit * static_cast<double>(charge));
  std::vector<Complex> spectrum(static_cast<std::size_t>(problem.mesh_side() * row_values()));
  Transforms::of_process().forward(plane, spectrum);
  return spectrum;
}

std::vector<double> potentials_of(std::vector<Complex>& spectrum) {
  std::vector<double> plane(static_cast<std::size_t>(problem.mesh_side() * problem.mesh_side()));
  Transforms::of_process().backward(spectrum, plane);
  return plane;
}

void convolve(std::vector<Complex>& rows, std::int64_t number) {
  Transforms::of_process().across_forward(rows);
  auto value = rows.begin();
  for (std::int64_t x = 0; x < problem.mesh_side(); ++x)
    for (std::int64_t z = 0; z < row_values(); ++z)
      *value++ *= influence({x, number, z});
  Transforms::of_process().across_backward(rows);
}

} // namespace thalweg::examples::molecules

// SPDX-License-Identifier: BSD-3-Clause
#include "density/overlap.hpp"

#include <cmath>
#include <stdexcept>

namespace thalweg::examples::density {
namespace {

constexpr double overlap_unit = 0x1p-40;

std::size_t place_of(std::size_t later, std::size_t earlier) {
  return later * (later + 1) / 2 + earlier;
}

} // namespace

Wholes overlaps_of(std::span<Plane const> states) {
  Wholes found;
  for (std::size_t i = 0; i < states.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      Complex sum = 0;
      for (std::size_t at = 0; at < states[i].size(); ++at)
        sum += states[i][at] * std::conj(states[j][at]);
      found.push_back(std::llround(sum.real() / overlap_unit));
      found.push_back(std::llround(sum.imag() / overlap_unit));
    }
  return found;
}

void orthonormalize(std::span<Plane> states, Wholes const& of_all_planes) {
  std::vector<Complex> factor; // the lower half
  for (std::size_t i = 0; i < of_all_planes.size(); i += 2)
    factor.emplace_back(overlap_unit * static_cast<double>(of_all_planes[i]),
                        overlap_unit * static_cast<double>(of_all_planes[i + 1]));
  for (std::size_t i = 0; i < states.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      Complex& value = factor[place_of(i, j)];
      for (std::size_t k = 0; k < j; ++k)
        value -= factor[place_of(i, k)] * std::conj(factor[place_of(j, k)]);
      if (j < i)
        value /= factor[place_of(j, j)].real();
      else if (value.real() > 0)
        value = std::sqrt(value.real());
      else
        throw std::runtime_error("states depend on each other: choose fewer --states, or more --planes");
    }
    for (std::size_t j = 0; j < i; ++j)
      for (std::size_t at = 0; at < states[i].size(); ++at)
        states[i][at] -= factor[place_of(i, j)] * states[j][at];
    double const length = factor[place_of(i, i)].real();
    for (Complex& value : states[i])
      value /= length;
  }
}

} // namespace thalweg::examples::density

// SPDX-License-Identifier: BSD-3-Clause
#include "molecules/planes.hpp"

#include "molecules/exchange.hpp"
#include "molecules/patch.hpp"

#include <algorithm>

namespace thalweg::examples::molecules {
namespace {

/// Where a plane, or a row of one, is in a window. Not below Window::side(): it is not in it.
std::int64_t place_in(Window const& window, std::size_t dimension, std::int64_t point) {
  std::int64_t const side = problem.mesh_side();
  return (point - window.begin[dimension] + side) % side;
}

/// The cells whose windows a plane crosses, by their first index.
std::vector<std::int64_t> layers_of(std::int64_t plane) {
  std::vector<std::int64_t> layers;
  for (std::int64_t x = 0; x < problem.cells; ++x)
    if (place_in(Window({x, 0, 0}), 0, plane) < Window::side())
      layers.push_back(x);
  return layers;
}

std::span<Complex> part_of_rows(std::vector<Complex>& rows, std::int64_t row) {
  auto const values = static_cast<std::size_t>(row_values());
  rows.resize(values * static_cast<std::size_t>(problem.mesh_side()));
  return std::span(rows).subspan(static_cast<std::size_t>(row) * values, values);
}

} // namespace

void Plane::charges(Cell of, std::span<std::int64_t const> of_window) {
  std::int64_t const side = problem.mesh_side();
  charges_.resize(static_cast<std::size_t>(side * side));
  Window const window(of);
  auto charge = of_window.begin();
  for (std::int64_t j = 0; j < Window::side(); ++j)
    for (std::int64_t k = 0; k < Window::side(); ++k)
      charges_[static_cast<std::size_t>(window.point(1, j) * side + window.point(2, k))] += *charge++;
  auto const layers = static_cast<std::int64_t>(layers_of(at()[0]).size());
  if (++cells_ < layers * problem.cells * problem.cells)
    return;
  spectrum_ = spectrum_of(charges_);
  charges_.clear();
  cells_ = 0;
  transpose();
}

void Plane::transpose() {
  if (mesh.by_mpi != nullptr) {
    mesh.by_mpi->is_ready();
    return;
  }
  std::int64_t const side = problem.mesh_side();
  mesh.to_rows->begin();
  for (std::int64_t i = 0; i < side; ++i) {
    std::int64_t const row = (at()[0] + i) % side;
    (*mesh.to_rows)((*mesh.rows)[{row}]).call<&Rows::take>(at()[0], part(row));
  }
  mesh.to_rows->end();
}

std::span<Complex> Plane::part(std::int64_t row) {
  return part_of_rows(spectrum_, row);
}

void Plane::take(std::int64_t row, std::span<Complex const> values) {
  std::ranges::copy(values, part(row).begin());
  if (++rows_ == problem.mesh_side())
    send_potentials();
}

void Plane::send_potentials() {
  rows_ = 0;
  std::vector<double> const potentials = potentials_of(spectrum_);
  std::int64_t const side = problem.mesh_side();
  std::vector<double> of_window(Window::plane_size());
  for (std::int64_t const x : layers_of(at()[0]))
    for (std::int64_t y = 0; y < problem.cells; ++y)
      for (std::int64_t z = 0; z < problem.cells; ++z) {
        Window const window({x, y, z});
        auto value = of_window.begin();
        for (std::int64_t j = 0; j < Window::side(); ++j)
          for (std::int64_t k = 0; k < Window::side(); ++k)
            *value++ = potentials[static_cast<std::size_t>(window.point(1, j) * side + window.point(2, k))];
        (*mesh.patches)[{x, y, z}].call<&Patch::potentials>(place_in(window, 0, at()[0]), of_window);
      }
}

std::span<Complex> Rows::part(std::int64_t plane) {
  return part_of_rows(values_, plane);
}

void Rows::take(std::int64_t plane, std::span<Complex const> values) {
  std::ranges::copy(values, part(plane).begin());
  std::int64_t const side = problem.mesh_side();
  if (++planes_ < side)
    return;
  planes_ = 0;
  transform();
  mesh.to_planes->begin();
  for (std::int64_t i = 0; i < side; ++i) {
    std::int64_t const to = (at()[0] + i) % side;
    (*mesh.to_planes)((*mesh.planes)[{to}]).call<&Plane::take>(at()[0], part(to));
  }
  mesh.to_planes->end();
}

void Rows::transform() {
  convolve(values_, at()[0]);
}

} // namespace thalweg::examples::molecules

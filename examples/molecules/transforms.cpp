// SPDX-License-Identifier: BSD-3-Clause
#include "molecules/transforms.hpp"

#include "molecules/mesh.hpp"

#include <stdexcept>

namespace thalweg::examples::molecules {
namespace {

constexpr unsigned how = FFTW_ESTIMATE | FFTW_UNALIGNED;

fftw_complex* raw(std::vector<Complex>& values) {
  return reinterpret_cast<fftw_complex*>(values.data());
}

} // namespace

Transforms const& Transforms::of_process() {
  static Transforms const all(static_cast<int>(problem.mesh_side()), static_cast<int>(row_values()));
  return all;
}

Transforms::Transforms(int side, int row_values) {
  std::vector<double> plane(static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
  std::vector<Complex> spectrum(static_cast<std::size_t>(side) * static_cast<std::size_t>(row_values));
  auto const across = [&](int sign) {
    return fftw_plan_many_dft(1, &side, row_values, raw(spectrum), nullptr, row_values, 1, raw(spectrum),
                              nullptr, row_values, 1, sign, how);
  };
  plans_ = {fftw_plan_dft_r2c_2d(side, side, plane.data(), raw(spectrum), how),
            fftw_plan_dft_c2r_2d(side, side, raw(spectrum), plane.data(), how), across(FFTW_FORWARD),
            across(FFTW_BACKWARD)};
  for (fftw_plan const& plan : plans_)
    if (plan == nullptr)
      throw std::runtime_error("FFTW has no plan for this mesh: use other --points");
}

Transforms::~Transforms() {
  for (fftw_plan const& plan : plans_)
    fftw_destroy_plan(plan);
}

void Transforms::forward(std::vector<double>& plane, std::vector<Complex>& spectrum) const {
  fftw_execute_dft_r2c(plans_[0], plane.data(), raw(spectrum));
}
void Transforms::backward(std::vector<Complex>& spectrum, std::vector<double>& plane) const {
  fftw_execute_dft_c2r(plans_[1], raw(spectrum), plane.data());
}
void Transforms::across_forward(std::vector<Complex>& rows) const {
  fftw_execute_dft(plans_[2], raw(rows), raw(rows));
}
void Transforms::across_backward(std::vector<Complex>& rows) const {
  fftw_execute_dft(plans_[3], raw(rows), raw(rows));
}

} // namespace thalweg::examples::molecules

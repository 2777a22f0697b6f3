// SPDX-License-Identifier: BSD-3-Clause
#include "fft3d/plan.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace thalweg::examples::fft3d {

LinePlan::LinePlan(std::vector<Complex>& field, Layout const& layout, Box const& part,
                   std::vector<int> const& axes, Direction direction) {
  if (part.empty()) {
    return;
  }
  std::vector<fftw_iodim64> transformed;
  std::vector<fftw_iodim64> repeated;
  for (int axis = 0; axis < 3; ++axis) {
    auto const a = static_cast<std::size_t>(axis);
    fftw_iodim64 const dimension{part.ranges[a].size(), layout.strides[a], layout.strides[a]};
    bool const is_transformed = std::find(axes.begin(), axes.end(), axis) != axes.end();
    (is_transformed ? transformed : repeated).push_back(dimension);
  }
  auto const& [xs, ys, zs] = part.ranges;
  auto* const first =
      reinterpret_cast<fftw_complex*>(field.data() + layout.offset(xs.begin, ys.begin, zs.begin));
  plan_ = fftw_plan_guru64_dft(static_cast<int>(transformed.size()), transformed.data(),
                               static_cast<int>(repeated.size()), repeated.data(), first, first,
                               direction == Direction::forward ? FFTW_FORWARD : FFTW_BACKWARD, FFTW_ESTIMATE);
  if (plan_ == nullptr) {
    throw std::runtime_error{"FFTW has no plan for this transform: use another --size"};
  }
}

LinePlan::LinePlan(LinePlan&& other) noexcept : plan_(std::exchange(other.plan_, nullptr)) {}

LinePlan::~LinePlan() {
  fftw_destroy_plan(plan_);
}

void LinePlan::execute() const {
  if (plan_ != nullptr) {
    fftw_execute(plan_);
  }
}

} // namespace thalweg::examples::fft3d

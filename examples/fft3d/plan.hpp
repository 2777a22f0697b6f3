// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "fft3d/layout.hpp"

#include <fftw3.h>

namespace thalweg::examples::fft3d {

enum class Direction { forward, inverse };

/// FFTW's plan for transforming `part` of a field in place along `axes` (one or two of the three); the rest
/// of the part are independent transforms. Unnormalized. Estimated, not measured, so that results do not
/// change from run to run.
class LinePlan {
public:
  LinePlan(std::vector<Complex>& field, Layout const& layout, Box const& part, std::vector<int> const& axes,
           Direction direction);
  LinePlan(LinePlan&& other) noexcept;
  LinePlan(LinePlan const&) = delete;
  LinePlan& operator=(LinePlan const&) = delete;
  LinePlan& operator=(LinePlan&&) = delete;
  ~LinePlan();

  /// Transforms; the field must be the one that was planned for.
  void execute() const;

private:
  fftw_plan plan_ = nullptr; ///< null where the part is empty
};

} // namespace thalweg::examples::fft3d

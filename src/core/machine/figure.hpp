// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace thalweg::machine {

/// A measured figure: the median and what lies between a tenth and nine tenths of the measurements.
struct Figure {
  double value = 0;
  double low = 0;
  double high = 0;
};

inline constexpr Figure once{1, 1, 1};

} // namespace thalweg::machine

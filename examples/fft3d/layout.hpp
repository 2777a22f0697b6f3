// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/blocks.hpp"

#include <array>
#include <complex>
#include <cstdint>
#include <vector>

namespace thalweg::examples::fft3d {

using Complex = std::complex<double>;

/// The three axes of the field, used as indices.
constexpr int axis_x = 0;
constexpr int axis_y = 1;
constexpr int axis_z = 2;
using Extents = std::array<std::int64_t, 3>;

/// A brick of the global field.
struct Box {
  std::array<Range, 3> ranges;

  [[nodiscard]] std::int64_t size() const { return ranges[0].size() * ranges[1].size() * ranges[2].size(); }
  [[nodiscard]] bool empty() const { return size() == 0; }
};

Box intersection(Box const& a, Box const& b);

/// The `index`-th of `count` slices of `box` across `axis`.
Box slice_of(Box box, int axis, std::int64_t count, std::int64_t index);

/// How a rank keeps its box in memory: strides in elements, per axis.
struct Layout {
  Box box;
  Extents strides;

  /// `order` names the axes from the slowest to the fastest; the box is dense.
  static Layout dense(Box box, std::array<int, 3> order);

  /// Where the element at the global index (x, y, z) lies.
  [[nodiscard]] std::int64_t offset(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return (x - box.ranges[0].begin) * strides[0] + (y - box.ranges[1].begin) * strides[1] +
           (z - box.ranges[2].begin) * strides[2];
  }
};

/// Copies `part` of the field out of `field` to `packed`, x slowest, z fastest; and back. Both return the end
/// of what was packed.
Complex* pack(std::vector<Complex> const& field, Layout const& layout, Box const& part, Complex* packed);
Complex const* unpack(Complex const* packed, Layout const& layout, Box const& part,
                      std::vector<Complex>& field);

} // namespace thalweg::examples::fft3d

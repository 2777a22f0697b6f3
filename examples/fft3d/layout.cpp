// SPDX-License-Identifier: BSD-3-Clause
#include "fft3d/layout.hpp"

namespace thalweg::examples::fft3d {
namespace {

/// Calls `copy(offset of the line's first element, stride, length)` for every line of `part` along z.
template <typename Copy>
void for_each_line(Layout const& layout, Box const& part, Copy const& copy) {
  if (part.empty()) {
    return;
  }
  auto const& [xs, ys, zs] = part.ranges;
  for (std::int64_t x = xs.begin; x < xs.end; ++x) {
    for (std::int64_t y = ys.begin; y < ys.end; ++y) {
      copy(layout.offset(x, y, zs.begin), layout.strides[axis_z], zs.size());
    }
  }
}

} // namespace

Box intersection(Box const& a, Box const& b) {
  Box common;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    common.ranges[axis] = examples::intersection(a.ranges[axis], b.ranges[axis]);
  }
  return common;
}

Box slice_of(Box box, int axis, std::int64_t count, std::int64_t index) {
  Range& range = box.ranges[static_cast<std::size_t>(axis)];
  range = part_of(range, count, index);
  return box;
}

Layout Layout::dense(Box box, std::array<int, 3> order) {
  Layout layout{box, {}};
  std::int64_t stride = 1;
  for (std::size_t i = 3; i-- > 0;) {
    auto const axis = static_cast<std::size_t>(order[i]);
    layout.strides[axis] = stride;
    stride *= box.ranges[axis].size();
  }
  return layout;
}

Complex* pack(std::vector<Complex> const& field, Layout const& layout, Box const& part, Complex* packed) {
  for_each_line(layout, part, [&](std::int64_t offset, std::int64_t stride, std::int64_t length) {
    Complex const* from = field.data() + offset;
    for (std::int64_t i = 0; i < length; ++i) {
      *packed++ = from[i * stride];
    }
  });
  return packed;
}

Complex const* unpack(Complex const* packed, Layout const& layout, Box const& part,
                      std::vector<Complex>& field) {
  for_each_line(layout, part, [&](std::int64_t offset, std::int64_t stride, std::int64_t length) {
    Complex* to = field.data() + offset;
    for (std::int64_t i = 0; i < length; ++i) {
      to[i * stride] = *packed++;
    }
  });
  return packed;
}

} // namespace thalweg::examples::fft3d

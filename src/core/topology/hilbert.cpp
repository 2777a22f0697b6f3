// SPDX-License-Identifier: BSD-3-Clause
#include "topology/hilbert.hpp"

#include "base/arithmetic.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace thalweg::topology {

namespace {

/// Corners of a cube as bits, one a dimension. Rotations are among the `width` lowest.
using Corner = std::uint64_t;

Corner rotated_left(Corner bits, int by, int width) {
  by %= width;
  const Corner mask = (Corner{1} << width) - 1;
  return ((bits << by) | (bits >> (width - by))) & mask;
}

Corner rotated_right(Corner bits, int by, int width) {
  return rotated_left(bits, width - by % width, width);
}

Corner gray_code(std::uint64_t number) {
  return number ^ (number >> 1);
}

std::uint64_t gray_code_inverse(Corner code) {
  for (int shift = 1; shift < 64; shift *= 2)
    code ^= code >> shift;
  return code;
}

/// The corner at which sub-cube `number` of the curve is entered.
Corner entry(std::uint64_t number) {
  return number == 0 ? 0 : gray_code((number - 1) / 2 * 2);
}

/// The dimension along which it is crossed.
int direction(std::uint64_t number) {
  if (number == 0)
    return 0;
  return std::countr_one(number % 2 == 0 ? number - 1 : number);
}

} // namespace

HilbertCurve::HilbertCurve(std::span<const std::int32_t> extents) {
  for (std::size_t dimension = 0; dimension < extents.size(); ++dimension)
    if (extents[dimension] > 1)
      sides_.push_back({dimension, extents[dimension], ceil_log(2, extents[dimension])});
  std::ranges::stable_sort(sides_, std::greater{}, &Side::bits);
}

std::uint64_t HilbertCurve::key(std::span<const std::int32_t> coordinates) const {
  const auto spread = [&](const Side& side) {
    return (static_cast<std::uint64_t>(coordinates[side.dimension]) << side.bits) /
           static_cast<std::uint64_t>(side.extent);
  };
  std::uint64_t result = 0;
  Corner entered = 0;
  int crossed = 0;
  std::size_t active = 0; // sides that have a bit at this level: those of before, and shorter ones
  for (int level = sides_.empty() ? 0 : sides_.front().bits; level-- > 0;) {
    while (active < sides_.size() && sides_[active].bits > level)
      ++active;
    const int width = static_cast<int>(active);
    Corner corner = 0;
    for (std::size_t side = 0; side < active; ++side)
      corner |= (spread(sides_[side]) >> level & 1U) << side;
    const std::uint64_t number = gray_code_inverse(rotated_right(corner ^ entered, crossed + 1, width));
    entered ^= rotated_left(entry(number), crossed + 1, width);
    crossed = (crossed + direction(number) + 1) % width;
    result = result << width | number;
  }
  return result;
}

std::vector<std::int32_t> hilbert_order(const Grid& grid, std::span<const Place> places) {
  const HilbertCurve curve(grid.extents());
  std::vector<std::pair<std::uint64_t, std::int32_t>> keys;
  keys.reserve(places.size());
  std::vector<std::int32_t> coordinates(grid.dimensions());
  for (const Place place : places) {
    for (std::size_t dimension = 0; dimension < coordinates.size(); ++dimension)
      coordinates[dimension] = grid.coordinate(place, dimension);
    keys.emplace_back(curve.key(coordinates), static_cast<std::int32_t>(keys.size()));
  }
  std::ranges::sort(keys);
  std::vector<std::int32_t> order;
  order.reserve(keys.size());
  for (const auto& [key, index] : keys)
    order.push_back(index);
  return order;
}

} // namespace thalweg::topology

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace thalweg::examples {

/// Half-open range of indices.
struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  [[nodiscard]] constexpr std::int64_t size() const { return end - begin; }
  [[nodiscard]] constexpr bool empty() const { return begin >= end; }
};

/// The `index`-th of `parts` contiguous parts of `whole`; sizes differ by at most one, larger parts first.
/// Parts are empty where there are more of them than elements.
constexpr Range part_of(Range whole, std::int64_t parts, std::int64_t index) {
  std::int64_t const quotient = whole.size() / parts;
  std::int64_t const rest = whole.size() % parts;
  std::int64_t const begin = whole.begin + index * quotient + std::min(index, rest);
  return {begin, begin + quotient + (index < rest ? 1 : 0)};
}

/// Which of the parts of [0, size) holds an index: the inverse of part_of().
constexpr std::int64_t part_holding(std::int64_t size, std::int64_t parts, std::int64_t index) {
  std::int64_t const quotient = size / parts;
  std::int64_t const rest = size % parts;
  std::int64_t const larger = rest * (quotient + 1); // elements of the larger parts
  return index < larger ? index / (quotient + 1) : (index - rest) / quotient;
}

/// A box of a grid, by its ranges of x, y and z.
using Brick = std::array<Range, 3>;

/// The part of [0, side)^3 at `index`, of `parts` parts in each dimension.
constexpr Brick part_of(std::int64_t side, std::array<std::int64_t, 3> const& parts,
                        std::array<std::int64_t, 3> const& index) {
  Brick box;
  for (std::size_t d = 0; d < box.size(); ++d)
    box[d] = part_of(Range{0, side}, parts[d], index[d]);
  return box;
}

/// use(x, y, z) for all of a box; z runs fastest.
template <typename Use>
constexpr void each_of(Brick const& box, Use&& use) {
  for (std::int64_t x = box[0].begin; x < box[0].end; ++x)
    for (std::int64_t y = box[1].begin; y < box[1].end; ++y)
      for (std::int64_t z = box[2].begin; z < box[2].end; ++z)
        use(x, y, z);
}

constexpr Range intersection(Range a, Range b) {
  std::int64_t const begin = std::max(a.begin, b.begin);
  return {begin, std::max(begin, std::min(a.end, b.end))};
}

} // namespace thalweg::examples

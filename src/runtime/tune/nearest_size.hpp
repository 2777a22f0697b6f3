// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which of the tuned sizes stands for another one.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <ranges>

namespace thalweg::tune {

/// The element of a range, sorted by `bytes_of`, whose size is nearest by ratio; the end of an empty one.
template <std::ranges::random_access_range Range, typename BytesOf>
auto nearest_size(const Range& range, std::int64_t bytes, BytesOf bytes_of) {
  const auto end = std::ranges::end(range);
  auto above = std::ranges::lower_bound(range, bytes, {}, bytes_of);
  if (above == std::ranges::begin(range))
    return above;
  const auto below = above - 1;
  if (above == end)
    return below;
  const auto size = [&](const auto& element) { return static_cast<double>(std::invoke(bytes_of, *element)); };
  return static_cast<double>(bytes) * static_cast<double>(bytes) < size(below) * size(above) ? below : above;
}

} // namespace thalweg::tune

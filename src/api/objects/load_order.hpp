// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Elements by their loads, where there are too many to be compared with one another. Loads within an eighth
// of each other are taken as equal: one pass counts how many there are of each kind, another puts them there.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace thalweg::objects {

/// The higher, the heavier; the same for loads that differ by less than an eighth of the power of two below.
constexpr std::size_t load_kind(std::uint64_t load) {
  constexpr int steps_log2 = 3;
  const int exponent = static_cast<int>(std::bit_width(load)) - 1;
  if (exponent < steps_log2)
    return static_cast<std::size_t>(load);
  const int shift = exponent - steps_log2;
  return (static_cast<std::size_t>(shift) << steps_log2) + static_cast<std::size_t>(load >> shift);
}

/// Heaviest first, and in their order where loads are alike.
template <typename T>
std::vector<T> heaviest_first(std::vector<T> all, std::span<const std::uint64_t> loads) {
  constexpr std::size_t kinds = load_kind(UINT64_MAX) + 1;
  std::array<std::size_t, kinds> place{};
  for (const std::uint64_t load : loads)
    ++place[load_kind(load)];
  std::size_t before = 0;
  for (std::size_t kind = kinds; kind-- > 0;)
    before += std::exchange(place[kind], before);
  std::vector<T> sorted(all.size());
  for (std::size_t one = 0; one < all.size(); ++one)
    sorted[place[load_kind(loads[one])]++] = std::move(all[one]);
  return sorted;
}

} // namespace thalweg::objects

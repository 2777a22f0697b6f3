// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Blocks: what schedules talk about instead of bytes.
//
// A problem's buffers are cut into numbered blocks; which bytes a block is, is decided when a call is bound
// (engine/layout.hpp). A message or copy moves a list of block ranges, in list order.

#include "base/arithmetic.hpp"
#include "base/assertion.hpp"

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <vector>

namespace thalweg::schedule {

enum class Buffer : std::uint8_t { input, output, scratch };

/// `count` runs of `run` neighboring blocks, the runs `stride` blocks apart: with run r and stride s the
/// blocks first, first+1, .., first+r-1, first+s, first+s+1, ..  One range says "every block whose k-th digit
/// is d", which keeps logarithmic strategies' schedules logarithmic. A negative stride walks backwards.
struct BlockRange {
  Buffer buffer = Buffer::input;
  std::int32_t first = 0;
  std::int32_t run = 1;
  std::int32_t count = 1;
  std::int32_t stride = 0;

  std::int64_t size() const { return std::int64_t{run} * count; }
  bool operator==(const BlockRange&) const = default;
};

using BlockList = std::vector<BlockRange>;

/// Calls `visit(Buffer, block)` for each block of the ranges in message order.
template <typename Ranges, typename Visit>
void for_each_block(const Ranges& ranges, Visit&& visit) {
  for (const BlockRange& range : ranges)
    for (std::int32_t j = 0; j < range.count; ++j)
      for (std::int32_t i = 0; i < range.run; ++i)
        visit(range.buffer, range.first + j * range.stride + i);
}

/// Calls `visit(Buffer, first, run)` for each run of neighboring blocks in message order.
template <typename Ranges, typename Visit>
void for_each_run(const Ranges& ranges, Visit&& visit) {
  for (const BlockRange& range : ranges)
    for (std::int32_t j = 0; j < range.count; ++j)
      visit(range.buffer, range.first + j * range.stride, range.run);
}

template <typename Ranges>
std::int64_t block_count(const Ranges& ranges) {
  std::int64_t total = 0;
  for (const BlockRange& range : ranges)
    total += range.size();
  return total;
}

inline BlockList input(std::int32_t first, std::int32_t run = 1) {
  return {{Buffer::input, first, run}};
}
inline BlockList output(std::int32_t first, std::int32_t run = 1) {
  return {{Buffer::output, first, run}};
}
inline BlockList scratch(std::int32_t first, std::int32_t run = 1) {
  return {{Buffer::scratch, first, run}};
}

/// `length` blocks from `first` on in the buffer's first `modulus` blocks, going round past the last: one or
/// two ranges.
inline BlockList wrapped(Buffer buffer, std::int64_t first, std::int64_t length, std::int64_t modulus) {
  THALWEG_ASSERT(normal, modulus > 0 && 0 <= length && length <= modulus);
  first = (first % modulus + modulus) % modulus;
  const auto at = [&](std::int64_t begin, std::int64_t run) {
    return BlockRange{buffer, static_cast<std::int32_t>(begin), static_cast<std::int32_t>(run)};
  };
  if (length == 0)
    return {};
  if (first + length <= modulus)
    return {at(first, length)};
  return {at(first, modulus - first), at(0, first + length - modulus)};
}

/// Both lists in order.
inline BlockList operator+(BlockList left, const BlockList& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

/// `count` runs of `run` blocks, `stride` apart, as one range of the simplest form; none if empty.
inline BlockList strided(Buffer buffer, std::int64_t first, std::int64_t run, std::int64_t count,
                         std::int64_t stride) {
  if (run <= 0 || count <= 0)
    return {};
  THALWEG_ASSERT(normal, first >= 0 && first + (count - 1) * stride >= 0);
  THALWEG_ASSERT(normal, first + (count - 1) * stride + run <= std::numeric_limits<std::int32_t>::max());
  if (count == 1 || stride == run)
    return {{buffer, static_cast<std::int32_t>(first), static_cast<std::int32_t>(run * count)}};
  return {{buffer, static_cast<std::int32_t>(first), static_cast<std::int32_t>(run),
           static_cast<std::int32_t>(count), static_cast<std::int32_t>(stride)}};
}

/// The `count` single blocks first, first+stride, first+2 stride, .. of the buffer's first `modulus` blocks,
/// going round past either end: one or two ranges. |stride| * (count-1) must be less than `modulus`.
inline BlockList wrapped_stride(Buffer buffer, std::int64_t first, std::int64_t count, std::int64_t stride,
                                std::int64_t modulus) {
  THALWEG_ASSERT(normal, count <= 1 || (stride < 0 ? -stride : stride) * (count - 1) < modulus);
  first = modulo(first, modulus);
  const std::int64_t room = stride > 0   ? ceil_divide(modulus - first, stride)
                            : stride < 0 ? first / -stride + 1
                                         : count;
  const std::int64_t before = count < room ? count : room;
  const auto piece = [&](std::int64_t begin, std::int64_t length) {
    return stride == 1 ? strided(buffer, begin, length, length > 0 ? 1 : 0, 0)
                       : strided(buffer, begin, 1, length, stride);
  };
  return piece(first, before) + piece(modulo(first + before * stride, modulus), count - before);
}

} // namespace thalweg::schedule

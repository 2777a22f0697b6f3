// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Block lists that strategies with regular data movement are written in.

#include "base/arithmetic.hpp"
#include "base/assertion.hpp"
#include "schedule/block.hpp"

namespace thalweg::strategies {

/// `count` runs of `run` blocks, `stride` apart, as one range of the simplest form; none if empty.
inline schedule::BlockList strided(schedule::Buffer buffer, std::int64_t first, std::int64_t run,
                                   std::int64_t count, std::int64_t stride) {
  if (run <= 0 || count <= 0)
    return {};
  if (count == 1 || stride == run)
    return {{buffer, static_cast<std::int32_t>(first), static_cast<std::int32_t>(run * count)}};
  return {{buffer, static_cast<std::int32_t>(first), static_cast<std::int32_t>(run),
           static_cast<std::int32_t>(count), static_cast<std::int32_t>(stride)}};
}

/// The `count` single blocks first, first+stride, first+2 stride, .. of the buffer's first `modulus` blocks,
/// going round past either end: one or two ranges. |stride| * (count-1) must be less than `modulus`.
inline schedule::BlockList wrapped_stride(schedule::Buffer buffer, std::int64_t first, std::int64_t count,
                                          std::int64_t stride, std::int64_t modulus) {
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

} // namespace thalweg::strategies

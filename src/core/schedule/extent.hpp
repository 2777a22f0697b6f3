// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The bytes of blocks, once sizes are known.

#include "base/arithmetic.hpp"
#include "schedule/block.hpp"

#include <span>

namespace thalweg::schedule {

/// How much memory block ranges are.
struct Extent {
  std::int64_t bytes = 0;
  std::int64_t places = 0; ///< runs of memory
};

/// How large blocks are where all units are of one size, cut into pieces as evenly as possible.
class Sizes {
public:
  Sizes(std::int32_t pieces, std::int64_t unit_bytes) : pieces_(pieces), unit_bytes_(unit_bytes) {}

  Extent of(std::span<const BlockRange> ranges) const {
    Extent extent;
    const BlockRange* last = nullptr;
    for (const BlockRange& range : ranges) {
      const bool in_a_row = range.count == 1 || range.stride == range.run;
      const bool continues = last != nullptr && last->buffer == range.buffer && last->count == 1 &&
                             last->first + last->run == range.first;
      extent.places += in_a_row ? (continues ? 0 : 1) : range.count;
      if (pieces_ == 1)
        extent.bytes += std::int64_t{range.count} * range.run * unit_bytes_;
      for (std::int32_t i = 0; pieces_ > 1 && i < range.count; ++i)
        extent.bytes +=
            begin_of(range.first + i * range.stride + range.run) - begin_of(range.first + i * range.stride);
      last = &range;
    }
    return extent;
  }

private:
  // Bytes of the blocks below this one, as if all units lay in a row.
  std::int64_t begin_of(std::int64_t block) const {
    return block / pieces_ * unit_bytes_ + part_begin(unit_bytes_, pieces_, block % pieces_);
  }

  std::int32_t pieces_;
  std::int64_t unit_bytes_;
};

} // namespace thalweg::schedule

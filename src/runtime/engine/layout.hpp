// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Layouts: which bytes a block is, once a call's counts are known.

#include "schedule/problem.hpp"

#include <cstdint>
#include <vector>

namespace thalweg::engine {

struct Extent {
  std::int64_t offset = 0; ///< bytes from the buffer's begin
  std::int64_t bytes = 0;
};

/// A row of units of whole elements, each cut into pieces as evenly as possible (schedule/buffers.hpp).
class Layout {
public:
  Layout() = default;
  /// Units of equal size, one after another.
  static Layout uniform(std::int64_t unit_elements, std::int32_t pieces, std::int64_t element_bytes);
  /// Units of `elements[u]` elements that begin `offsets[u]` bytes from the buffer's begin (any order, also
  /// negative).
  static Layout separate(std::vector<std::int64_t> offsets, std::vector<std::int64_t> elements,
                         std::int32_t pieces, std::int64_t element_bytes);
  /// Units of `elements[u]` elements one after another.
  static Layout packed(std::vector<std::int64_t> elements, std::int32_t pieces, std::int64_t element_bytes);

  std::int64_t begin(std::int32_t block) const;
  std::int64_t bytes(std::int32_t block) const;
  /// Appends the extents of `run` blocks from `first` on, neighbors melted into one; empty blocks leave
  /// nothing.
  void append(std::int32_t first, std::int32_t run, std::int64_t shift, std::vector<Extent>& extents) const;
  /// Bytes of `blocks` blocks in a row, for layouts without gaps.
  std::int64_t row_bytes(std::int32_t blocks) const {
    return blocks == 0 ? 0 : begin(blocks - 1) + bytes(blocks - 1);
  }

private:
  /// Rows of equal units have no end of their own.
  bool has(std::int32_t block) const {
    return block >= 0 && (offsets_.empty() || static_cast<std::size_t>(block / pieces_) < offsets_.size());
  }
  std::int64_t elements(std::int32_t unit) const {
    return offsets_.empty() ? unit_elements_ : elements_[static_cast<std::size_t>(unit)];
  }
  std::int64_t unit_begin(std::int32_t unit) const {
    return offsets_.empty() ? unit * unit_elements_ * element_bytes_
                            : offsets_[static_cast<std::size_t>(unit)];
  }

  std::int64_t unit_elements_ = 0;
  std::int64_t element_bytes_ = 1;
  std::int32_t pieces_ = 1;
  std::vector<std::int64_t> offsets_;
  std::vector<std::int64_t> elements_;
};

/// How one rank's call lays its blocks out.
struct Layouts {
  Layout input;
  Layout output;
  /// The canonical blocks in a row; scratch is replicas of it.
  Layout canonical;
  std::int32_t canonical_blocks = 1;
};

/// Layouts of a call whose units all have `unit_elements` elements and lie in a row.
Layouts uniform_layouts(const schedule::Problem& problem, std::int32_t pieces, std::int64_t unit_elements,
                        std::int64_t element_bytes);

} // namespace thalweg::engine

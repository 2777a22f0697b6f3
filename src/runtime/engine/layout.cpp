// SPDX-License-Identifier: BSD-3-Clause
#include "engine/layout.hpp"

#include "base/arithmetic.hpp"
#include "base/assertion.hpp"
#include "schedule/buffers.hpp"

namespace thalweg::engine {

Layout Layout::uniform(std::int64_t unit_elements, std::int32_t pieces, std::int64_t element_bytes) {
  THALWEG_ASSERT(light, unit_elements >= 0 && pieces > 0 && element_bytes > 0);
  Layout layout;
  layout.unit_elements_ = unit_elements;
  layout.pieces_ = pieces;
  layout.element_bytes_ = element_bytes;
  return layout;
}

Layout Layout::separate(std::vector<std::int64_t> offsets, std::vector<std::int64_t> elements,
                        std::int32_t pieces, std::int64_t element_bytes) {
  THALWEG_ASSERT(light, offsets.size() == elements.size() && pieces > 0 && element_bytes > 0);
  Layout layout;
  layout.offsets_ = std::move(offsets);
  layout.elements_ = std::move(elements);
  layout.pieces_ = pieces;
  layout.element_bytes_ = element_bytes;
  return layout;
}

Layout Layout::packed(std::vector<std::int64_t> elements, std::int32_t pieces, std::int64_t element_bytes) {
  std::vector<std::int64_t> offsets;
  offsets.reserve(elements.size());
  std::int64_t offset = 0;
  for (const std::int64_t count : elements) {
    offsets.push_back(offset);
    offset += count * element_bytes;
  }
  return separate(std::move(offsets), std::move(elements), pieces, element_bytes);
}

std::int64_t Layout::begin(std::int32_t block) const {
  THALWEG_ASSERT(normal, has(block));
  const std::int32_t unit = block / pieces_;
  return unit_begin(unit) + element_bytes_ * part_begin(elements(unit), pieces_, block % pieces_);
}

std::int64_t Layout::bytes(std::int32_t block) const {
  THALWEG_ASSERT(normal, has(block));
  const std::int64_t total = elements(block / pieces_);
  const std::int32_t piece = block % pieces_;
  return element_bytes_ * (part_begin(total, pieces_, piece + 1) - part_begin(total, pieces_, piece));
}

void Layout::append(std::int32_t first, std::int32_t run, std::int64_t shift,
                    std::vector<Extent>& extents) const {
  const auto add = [&](Extent extent) {
    if (extent.bytes == 0)
      return;
    if (!extents.empty() && extents.back().offset + extents.back().bytes == extent.offset)
      extents.back().bytes += extent.bytes;
    else
      extents.push_back(extent);
  };
  if (offsets_.empty()) { // without gaps: one extent, whatever the run
    const std::int64_t offset = begin(first);
    add({shift + offset, begin(first + run - 1) + bytes(first + run - 1) - offset});
    return;
  }
  for (std::int32_t block = first; block < first + run; ++block)
    add({shift + begin(block), bytes(block)});
}

Layouts uniform_layouts(const schedule::Problem& problem, std::int32_t pieces, std::int64_t unit_elements,
                        std::int64_t element_bytes) {
  const Layout row = Layout::uniform(unit_elements, pieces, element_bytes);
  return {row, row, row, static_cast<std::int32_t>(schedule::canonical_blocks(problem, pieces))};
}

} // namespace thalweg::engine

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace thalweg::tune {

/// What was found best for streams of such items, where ranks send so much in a phase.
struct StreamPick {
  std::int64_t item_bytes = 0;  ///< of an item; 0: they differ
  std::int64_t phase_bytes = 0; ///< of a rank's items in a phase
  std::int32_t ranks = 0;
  std::string shape; ///< "direct", or the sides of a mesh: "4x8"
  std::int64_t buffer_bytes = 0;
  double seconds = 0; ///< of a phase

  bool is_same_case(const StreamPick& other) const {
    return item_bytes == other.item_bytes && ranks == other.ranks && phase_bytes == other.phase_bytes;
  }
};

} // namespace thalweg::tune

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

namespace thalweg::streams {

/// What a rank has seen of a phase, up to its quiescence check. Over the ranks the maximum of each counts.
struct PhaseSeen {
  std::uint64_t nanoseconds = 0; ///< since this rank sent its first item
  std::uint64_t sent_bytes = 0;  ///< of items and tags that it put into buffers, for each hop

  void take_maxima(const PhaseSeen& other) {
    nanoseconds = std::max(nanoseconds, other.nanoseconds);
    sent_bytes = std::max(sent_bytes, other.sent_bytes);
  }
};

} // namespace thalweg::streams

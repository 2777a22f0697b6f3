// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Segments: the parameters `segment` and `window`, and what they mean for a schedule.
//
// A strategy with the parameter `segment` cuts each unit into pieces of about that many bytes and moves them
// as a pipeline. Where the ranks do not agree on a unit's size (unit_bytes = 0), or segment = 0, there is one
// piece.

#include "base/arithmetic.hpp"
#include "strategies/strategy.hpp"

#include <algorithm>

namespace thalweg::strategies {

/// More pieces than this make schedules long without making pipelines better.
inline constexpr std::int32_t max_segments = 512;

/// clamp(ceil(unit_bytes / segment_bytes), 1, most).
inline std::int32_t segment_count(std::int64_t unit_bytes, std::int64_t segment_bytes,
                                  std::int32_t limit = max_segments) {
  if (unit_bytes <= 0 || segment_bytes <= 0)
    return 1;
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(ceil_divide(unit_bytes, segment_bytes), 1, limit));
}

/// The number of pieces that the problem's `segment` asks for.
inline std::int32_t segments(const Problem& problem) {
  return segment_count(problem.unit_bytes, problem.parameter("segment"));
}

inline Parameter segment_parameter(std::int64_t default_bytes) {
  return {.name = "segment",
          .kind = ParameterKind::bytes,
          .default_value = default_bytes,
          .min = 0,
          .max = std::int64_t{1} << 30,
          .description = "bytes of a piece of the pipeline; 0: everything in one piece",
          .proven_at = {1024}};
}

inline Parameter piece_window_parameter(std::int64_t default_value = 4) {
  return {.name = "window",
          .kind = ParameterKind::count,
          .default_value = default_value,
          .min = 1,
          .max = max_segments,
          .description = "pieces that a rank has under way at once",
          .proven_at = {2}};
}

} // namespace thalweg::strategies

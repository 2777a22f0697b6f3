// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What ranks tell of their elements at fences.

#include "base/rank.hpp"
#include "objects/mpi/scheduler.hpp"

#include <cstdint>

namespace thalweg::objects {

/// An element that may move.
struct Candidate {
  std::uint16_t array = 0;
  std::uint32_t element = 0;
  Rank rank = 0;      ///< where it is
  double seconds = 0; ///< that its messages took since the last fence
};

} // namespace thalweg::objects

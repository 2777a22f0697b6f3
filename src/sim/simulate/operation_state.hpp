// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace thalweg::simulate {

inline constexpr std::uint32_t none = 0xffffffffU;

/// What changes of an operation while its program runs.
struct OperationState {
  /// How many requirements are left; once there are none, its place in the order.
  std::uint32_t order = 0;
  std::uint32_t link = none; ///< the next of the waiting operations among which it is
};

} // namespace thalweg::simulate

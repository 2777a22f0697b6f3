// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/random.hpp"

namespace thalweg {

/// Adds a value to a hash of values in their order; begin with 0.
inline std::uint64_t mixed_hash(std::uint64_t hash, std::uint64_t value) {
  return Random(hash ^ value).next();
}

} // namespace thalweg

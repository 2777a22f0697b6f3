// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace thalweg::place {

/// A task's, slot's or vertex's number as an index.
inline std::size_t at(std::int32_t number) {
  return static_cast<std::size_t>(number);
}

} // namespace thalweg::place

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace thalweg::transport {

inline constexpr std::size_t cache_line = 64; ///< bytes that go from core to core together

} // namespace thalweg::transport

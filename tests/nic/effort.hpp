// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstdlib>

namespace thalweg::nic {

/// How many times as much as usual tests are to try: THALWEG_TEST_EFFORT.
inline std::uint64_t effort() {
  const char* const text = std::getenv("THALWEG_TEST_EFFORT");
  return text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
}

} // namespace thalweg::nic

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace thalweg::wait {

/// How long a wait polls, yields and sleeps; see waiter.hpp.
struct Settings {
  std::uint32_t poll_us = 0;
  std::uint32_t yield_us = 5000;
  std::uint32_t sleep_us_min = 20;
  std::uint32_t sleep_us_max = 1000;
  std::uint32_t long_yield_us = 200; // yields that take longer than this have met somebody who computes
};

} // namespace thalweg::wait

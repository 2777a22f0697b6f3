#pragma once

// Noise: the operating system takes a processor away now and then, for a moment (a detour; Hoefler,
// Schneider, Lumsdaine 2010, "Characterizing the influence of system noise on large-scale applications by
// simulation", SC'10).

#include "core/hash.hpp"
#include "simulate/message_costs.hpp"

#include <algorithm>
#include <string_view>

namespace thalweg::simulate {

/// Every `period` each processor is away for `duration`, the first time at a random moment of its own.
struct Noise {
  Ticks period = 0; ///< 0: there is none
  Ticks duration = 0;
  std::uint64_t seed = 1;

  /// How much longer `work` that begins at `begin` takes a processor, which is named by its number.
  Ticks detours(std::uint64_t processor, Ticks begin, Ticks work) const {
    if (period == 0 || work == 0)
      return 0;
    const auto phase =
        static_cast<Ticks>(mixed_hash(mixed_hash(0, seed), processor) % static_cast<std::uint64_t>(period));
    const Ticks since = (begin + period - phase) % period; // the last detour began
    const Ticks away = since < duration ? duration - since : 0;
    const Ticks until_next = period - std::max(since, duration);
    return work <= until_next ? away : away + ((work - until_next - 1) / (period - duration) + 1) * duration;
  }
};

/// Reads "1000000,25000" or "1000000,25000,7": period and duration in nanoseconds, and a seed. Throws Error
/// for anything else, and for detours that leave no time between them.
Noise parse_noise(std::string_view text);

} // namespace thalweg::simulate

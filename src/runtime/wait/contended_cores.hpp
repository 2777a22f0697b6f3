// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which cores somebody else computes on, as a thread learns from its own waits.
//
// A thread that yields on such a core gets it back some milliseconds later. The kernel balances load, not
// waits: it keeps ranks that wait for one another on a core that somebody computes on although they would
// share another one at a few microseconds a turn. So a thread that has lost time to yields on its core goes
// to the one where it has lost the least, if that is an eighth at most. What was lost is forgotten, half of
// it in two seconds, so that cores are tried again. Where ranks compute themselves, all cores are contended
// alike: a thread then moves once in some seconds, as moves cost such programs time.

#include <array>
#include <cstdint>
#include <optional>
#include <sched.h>

namespace thalweg::wait {

class ContendedCores {
public:
  /// A yield on `core` that ended now took so long.
  void lost(int core, std::uint64_t now_ns, std::uint64_t taken_ns);

  /// The core among `allowed` to go to from `core`, if one is worth it.
  std::optional<int> better_than(int core, std::uint64_t now_ns, const cpu_set_t& allowed) const;

private:
  struct Loss {
    double ns = 0; // at `at_ns`
    std::uint64_t at_ns = 0;
    int core = -1; // none yet
    double at(std::uint64_t now_ns) const;
  };

  double loss(int core, std::uint64_t now_ns) const;

  static constexpr double better_by = 8;

  // Of more contended cores the one with the least loss is forgotten, and would be found again.
  static constexpr std::size_t max_cores = 8;
  std::array<Loss, max_cores> losses_{};
};

} // namespace thalweg::wait

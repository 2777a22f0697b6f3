// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Whether somebody else than the ranks of a job wants the cores that these share.
//
// Where ranks share cores, a yield takes milliseconds for one of two reasons. Another rank computes: then
// nothing is better than to leave it the core. Or a foreign process does. The kernel takes a yield for a
// slice that was used, so ranks that wait in many short turns give that process slice after slice. A short
// sleep uses nothing up, and brings the core back sooner (wait/waiter.hpp). The kernel says which it is: how
// many threads want a core.

#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>

namespace thalweg::wait {

class ForeignLoad {
public:
  /// After yields that took long: so many threads of the machine want a core, if the kernel says so, and so
  /// many ranks of the job are on it.
  void seen(std::uint64_t now_ns, std::optional<int> runnable, int ranks) {
    looks_in_row_ = runnable && *runnable > ranks ? looks_in_row_ + 1 : 0;
    if (looks_in_row_ >= looks_needed)
      until_ns_ = now_ns + lasts_ns;
  }

  bool is_there(std::uint64_t now_ns) const { return now_ns < until_ns_; }
  bool has_been_there() const { return until_ns_ != 0; }

  /// Fewer may have met daemons, which are often what makes a yield long on a machine that is else quiet.
  static constexpr std::uint32_t looks_needed = 8;

private:
  /// Ranks that sleep are not counted, so looks may find too few while it lasts. It is found again within
  /// some yields.
  static constexpr std::uint64_t lasts_ns = 1'000'000'000;

  std::uint64_t until_ns_ = 0;
  std::uint32_t looks_in_row_ = 0;
};

/// How many ranks of the job are on this machine; 0: not known.
inline constinit std::atomic<int> ranks_here{0};

/// A group of ranks has so many on a machine.
inline void found_ranks_here(int ranks) {
  if (ranks > ranks_here.load(std::memory_order_relaxed))
    ranks_here.store(ranks, std::memory_order_relaxed);
}

/// May another core be better than one that a thread gets back late? So many threads want one of the
/// machine's cores. While there are no more of them than ranks, and more than cores, they are the ranks, all
/// cores are alike, and a rank that goes away leaves one core with more of them than the other. Nor is one
/// better where foreign threads want all.
constexpr bool may_another_core_be_better(int runnable, int ranks, int cores) {
  const int foreign = runnable - ranks;
  return runnable <= cores || (foreign > 0 && foreign < cores);
}

/// How many threads of the machine want a core now, or have one, unless the kernel does not say.
std::optional<int> runnable_threads();

/// The number of them in the text of /proc/loadavg: "0.20 0.18 0.12 1/80 11206".
std::optional<int> runnable_in(std::string_view loadavg);

} // namespace thalweg::wait

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How ranks learn that no message is left: none that waits to be run, and none on its way. Each rank that has
// nothing to run tells how many messages it has sent and taken in. It is over when two rounds after one
// another have the same sums, of as many sent as taken in. Source: Mattern 1987, "Algorithms for distributed
// termination detection", section 5 (the four counter method).

#include <cstdint>

namespace thalweg::control {

struct Counts {
  std::uint64_t sent = 0;
  std::uint64_t taken = 0;
  std::uint64_t held = 0; ///< bytes that wait for others' messages, and go when there are none
  friend bool operator==(const Counts&, const Counts&) = default;
};

inline Counts added(const Counts& a, const Counts& b) {
  return {a.sent + b.sent, a.taken + b.taken, a.held + b.held};
}

/// What all ranks know at the end of a round. `release`: nothing is on its way, but what is held is waited
/// for in vain: all is to be sent.
enum class Verdict { again, quiet, release };

class Quiescence {
public:
  /// Of a round's sums.
  Verdict judge(const Counts& sums) {
    const bool is_still = has_before_ && sums == before_ && sums.sent == sums.taken;
    has_before_ = !is_still;
    before_ = sums;
    if (!is_still)
      return Verdict::again;
    return sums.held == 0 ? Verdict::quiet : Verdict::release;
  }

private:
  bool has_before_ = false;
  Counts before_; ///< the sums of the round before
};

} // namespace thalweg::control

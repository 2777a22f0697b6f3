// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Fences at which one rank decides for all elements (objects/reassignment.hpp): by what their messages took,
// and where it is wanted, by who calls whom.

#include "base/rank.hpp"
#include "objects/fences.hpp"
#include "objects/mpi/scheduler.hpp"
#include "objects/reassignment.hpp"

#include <cstdint>
#include <vector>

namespace thalweg::objects {

/// An element that may move.
struct Candidate {
  std::uint16_t array = 0;
  std::uint32_t element = 0;
  Rank rank = 0;      ///< where it is
  double seconds = 0; ///< that its messages took since the last fence
};

/// What has been decided, the same on all ranks.
struct Reassignment {
  bool was_worth = false;
  double imbalance = 1; ///< before
  double imbalance_after = 1;
  double gain_seconds = 0;
  double move_seconds = 0;
  double far_bytes = 0; ///< that were sent between ranks since the last fence, as far as it is known
  double far_bytes_after = 0;
  std::uint64_t moves = 0; ///< of all ranks
};

class Reassigner {
public:
  explicit Reassigner(Scheduler& scheduler) : scheduler_(scheduler) {}

  /// Collective. Elements are on their way where that pays; they have not arrived.
  Reassignment begin(const std::vector<Candidate>& own, thalweg_fence_scheme scheme, const FenceTerms& terms);
  /// They have: so long that took.
  void learn(const Reassignment& of, double seconds);

private:
  struct Order {
    std::uint16_t array = 0;
    std::uint32_t element = 0;
    Rank from = 0;
    Rank to = 0;
  };
  Reassignment decide(const std::vector<Candidate>& all, const std::vector<ElementTraffic>& talks,
                      thalweg_fence_scheme scheme, const FenceTerms& terms, std::vector<Order>& orders) const;

  Scheduler& scheduler_;
  double element_seconds_ = 20e-6; ///< what moving one takes, of those that leave or enter one rank
};

} // namespace thalweg::objects

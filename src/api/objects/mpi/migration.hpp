// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Elements that move at fences: the tasks of a balancer (thalweg/balance.h), whose weights are the seconds
// that their messages took; or as one rank decides, which knows them all.

#include "objects/fences.hpp"
#include "objects/mpi/reassigner.hpp"
#include "objects/mpi/scheduler.hpp"
#include "thalweg/balance.h"

#include <memory>
#include <optional>
#include <vector>

namespace thalweg::objects {

class Migration {
public:
  Migration(Scheduler& scheduler, FenceNotes& notes)
      : scheduler_(scheduler), notes_(notes), reassigner_(scheduler) {}

  /// Collective, where all messages have been run: elements move where that pays.
  thalweg_fence_outcome fence(const thalweg_fence_options& options);
  /// Collective: elements that were sent arrive, and all ranks learn where those are that they call.
  void settle();

private:
  struct FreeBalancer {
    void operator()(thalweg_balancer* balancer) const { thalweg_balancer_free(&balancer); }
  };
  /// None where elements of some array cannot move now; empty where nobody may.
  std::optional<std::vector<Candidate>> list(bool may_move) const;
  thalweg_moved move(const std::vector<Candidate>& candidates, thalweg_fence_scheme scheme,
                     const FenceTerms& terms);
  thalweg_fence_outcome balance(const std::vector<Candidate>& candidates, thalweg_fence_scheme scheme,
                                const FenceTerms& terms, bool has_departed);
  thalweg_fence_outcome reassign(const std::vector<Candidate>& candidates, thalweg_fence_scheme scheme,
                                 const FenceTerms& terms, bool has_departed);
  void enter(const thalweg_moved& moved);
  void share_counts();

  Scheduler& scheduler_;
  FenceNotes& notes_;
  TickLength tick_;
  std::uint64_t departed_ = 0;                               ///< elements, before the last fence
  std::unique_ptr<thalweg_balancer, FreeBalancer> balancer_; ///< once a fence wanted one
  Reassigner reassigner_;
};

} // namespace thalweg::objects

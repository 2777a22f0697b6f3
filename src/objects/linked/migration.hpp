#pragma once

// Elements that move at fences: the tasks of a balancer (thalweg/balance.h), whose weights are the seconds
// that their messages took.

#include "objects/linked/scheduler.hpp"
#include "objects/linked/ticks.hpp"
#include "thalweg/balance.h"

#include <memory>
#include <optional>
#include <vector>

namespace thalweg::objects {

class Migration {
public:
  explicit Migration(Scheduler& scheduler) : scheduler_(scheduler) {}

  /// Collective: all messages are run, and elements move where that pays.
  thalweg_fence_outcome fence(const thalweg_fence_options& options);

private:
  struct FreeBalancer {
    void operator()(thalweg_balancer* balancer) const { thalweg_balancer_free(&balancer); }
  };
  struct Candidate {
    std::uint16_t array = 0;
    std::uint32_t element = 0;
    double seconds = 0;
  };
  /// None where elements of some array cannot move now.
  std::optional<std::vector<Candidate>> list() const;
  thalweg_moved move(const std::vector<Candidate>& candidates, const thalweg_fence_options& options);
  void enter(const thalweg_moved& moved);
  void share_counts();

  Scheduler& scheduler_;
  TickLength tick_;
  std::unique_ptr<thalweg_balancer, FreeBalancer> balancer_; // once a fence wanted one
};

} // namespace thalweg::objects

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "schedule/schedule.hpp"

namespace thalweg::schedule {

/// What a barrier promises: for each step of each rank, which ranks are known to have entered when it
/// finishes. Knowledge travels with messages only, and along stages and predecessors only, so it holds under
/// any timing.
class Arrivals {
public:
  explicit Arrivals(std::span<const Schedule> schedules);

  /// Tells of a step that has finished; for a receive, `sender` and `sender_step` say what it met. The
  /// verifier calls this in an order in which every step comes after those that it waits for.
  void finish(Rank rank, std::uint32_t step, Rank sender = -1, std::uint32_t sender_step = 0);
  /// Does `rank`, having finished everything, know that all have entered? Else a rank it does not know of; -1
  /// if all.
  Rank missing(Rank rank) const;

private:
  using Set = std::vector<std::uint64_t>;

  struct RankKnowledge {
    Set before_stage; ///< at the start of the stage at work
    Set after_stage;  ///< what the stage's finished steps add
    std::size_t stage = 0;
    std::vector<Set> of_step;
  };

  void advance(Rank rank, std::uint32_t step);
  Set at_start(Rank rank, std::uint32_t step);

  std::span<const Schedule> schedules_;
  std::vector<RankKnowledge> ranks_;
};

} // namespace thalweg::schedule

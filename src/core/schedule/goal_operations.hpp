// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A rank's schedule as GOAL's operations and requirements: for texts (goal.hpp) and for simulations, so that
// both say the same.

#include "schedule/schedule.hpp"

namespace thalweg::schedule {

/// Operations of GOAL that come from a schedule.
struct GoalNode {
  enum class Part : char {
    step = 's',  ///< the step itself, a message or local work
    after = 'c', ///< what a receive does with its message when it has come
    end = 'e',   ///< the end of a stage, which takes no time
  };
  Part part = Part::step;
  std::uint32_t number = 0; ///< of the step or the stage
};

/// What is done with the operations of one rank.
class GoalSink {
public:
  virtual ~GoalSink() = default;
  /// Whether a receive has work to do with its message.
  virtual bool has_after(std::uint32_t step, const Step& what) const = 0;
  /// An operation; `tag` of a message: its number among those of its peer and channel.
  virtual void add(GoalNode node, const Step& what, std::uint32_t tag) = 0;
  virtual void add_end(GoalNode node) = 0;
  virtual void require(GoalNode later, GoalNode earlier) = 0;
};

/// Writes the schedule. Each operation comes before what requires it. Where a stage's end saves requirements
/// it is an operation of its own; else the next stage's steps require this one's.
void write_goal_operations(const Schedule& schedule, GoalSink& sink);

} // namespace thalweg::schedule

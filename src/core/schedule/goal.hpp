// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Schedules for other people's simulators: GOAL (Group Operation Assembly Language; Hoefler, Siebert,
// Lumsdaine 2009), as LogGOPSim's txt2bin and its kin read it. A rank's schedule is written as GOAL's
// operations and requirements once, for texts and for simulations, so that both say the same.

#include "schedule/schedule.hpp"

#include <string>
#include <vector>

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

/// What a schedule leaves open and a simulator must know.
struct GoalSizes {
  std::int64_t unit_bytes = 1024;    ///< of each unit of the buffers, cut into pieces as evenly as possible
  double copy_ns_per_byte = 0.1;     ///< local copies
  double combine_ns_per_byte = 0.25; ///< the reduction operator, reading two operands and writing one
};

/// The bytes of a message; a token is one of one byte, for GOAL knows none of no bytes.
std::int64_t message_bytes(const Schedule& schedule, const Step& step, const GoalSizes& sizes);
/// Nanoseconds that a copy, or the combining of a step, takes.
std::int64_t local_ticks(const Schedule& schedule, const Step& step, const GoalSizes& sizes);

/// All ranks' schedules, given in rank order, as GOAL text. Every message between two ranks has a tag of its
/// own, so that it meets its receive whatever the simulator's timing. `bytes` has those of each rank's steps
/// where some blocks of messages are empty (schedule/carried_blocks.hpp); empty: as blocks say.
std::string export_goal(std::span<const Schedule> schedules, const GoalSizes& sizes,
                        std::span<const std::vector<std::int64_t>> bytes = {});

} // namespace thalweg::schedule

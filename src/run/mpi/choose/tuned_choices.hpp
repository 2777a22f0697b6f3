// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the tuning file says for this job: the same on all ranks, read once at the start.

#include <array>
#include <vector>

#include "job/picks_by_shape.hpp"
#include "mpi/choose/choice.hpp"
#include "mpi/comm/communicators.hpp"
#include "tune/tuning_file.hpp"

namespace thalweg::mpi {

class TunedChoices {
public:
  // Who found it: the tuner, or a program that learned, to the search's end or not.
  enum class Finder { tuner, learner, interrupted };
  struct Entry {
    std::int64_t bytes;
    Finder finder;
    Choice choice;
  };

  // Replaces what is known. The picks are what takes effect (choose/effect.hpp).
  void take(const tune::Tuning& tuning);
  bool any() const { return any_; }
  // Whether nonblocking calls of the program may be ours.
  bool any_nonblocking_strategy() const { return any_nonblocking_strategy_; }

  // The choice for the nearest size that was tuned for communicators like this one, or null. Nonblocking
  // calls have choices of their own. Nothing is known of calls whose sizes are not known to all ranks, and of
  // persistent ones, which were not measured. What programs have learned holds for calls whose result is the
  // same with every strategy. Strategies of the tuner hold for sums too, in which last digits may change.
  // Neither is bound so for `all`.
  const Choice* of(const CollectiveCall& call, CommunicatorState& communicator, bool all) const;
  // The same for blocking calls of so many bytes of a unit.
  const Entry* nearest(Operation operation, std::int64_t bytes, CommunicatorState& communicator) const;

private:
  using Picks = std::array<job::PicksByShape<Entry>, operation_count>;

  void take(Picks& known, const std::vector<tune::Pick>& picks);
  static const Entry* nearest(const Picks& known, Operation operation, std::int64_t bytes,
                              CommunicatorState& communicator);

  Picks picks_;
  Picks nonblocking_;
  bool any_ = false;
  bool any_nonblocking_strategy_ = false;
};

TunedChoices& tuned_choices();

// Bytes of the call's unit (schedule/buffers.hpp), where MPI makes them the same on all ranks; else -1.
std::int64_t agreed_unit_bytes(const CollectiveCall& call, CommunicatorState& communicator);

} // namespace thalweg::mpi

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A collective in flight: what it waits for before, the collective itself, what it waits for after.

#include "job/mpi/operator.hpp"
#include "team/plans.hpp"

#include <array>
#include <optional>

namespace thalweg::teams {

class InFlightOperation {
public:
  /// A part that is left out is null. Tags are the parts' own, dealt out when the call was made.
  struct Part {
    BorrowedRunner runner{nullptr, {}};
    engine::Tags tags;
  };
  InFlightOperation(const TeamCall& call, Part before, Part body, Part after);

  /// Does what can be done without waiting; true when it has finished.
  bool progress();
  /// Runs to the end, where nothing else is under way.
  void run();
  bool has_finished() const { return at_ == parts_.size(); }

private:
  void start_part();
  void next_part();

  TeamCall call_;
  std::optional<job::MpiOperator> operator_;
  std::array<Part, 3> parts_;
  std::size_t at_ = 0;
};

} // namespace thalweg::teams

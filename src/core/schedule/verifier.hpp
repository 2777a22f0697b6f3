// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The verifier: proves a collective's schedules by executing all ranks symbolically.
//
// Proven means: every block of every output ends up with exactly the contributions that the operation
// demands, every send meets a receive of equal size, nothing deadlocks even if no message is buffered (a send
// finishes only when its receive has started), nothing unwritten is read, no two unordered steps of a rank
// touch the same block unless both read, user input is not written, and every block lies within its buffer's
// declared size.

#include "schedule/schedule.hpp"

#include <string>

namespace thalweg::schedule {

struct Verdict {
  /// What is wrong, each naming rank and step; empty means proven. At most a handful are kept.
  std::vector<std::string> faults;
  /// Operands are combined in rank order everywhere: right for operators that do not commute.
  bool in_rank_order = true;
  /// All ranks that hold a result hold the same expression, operands in the same order: the same bits for
  /// every operator, also for those that commute but for NaNs or the signs of zeros.
  bool same_on_all_ranks = true;
  /// Of a reduction's results on all ranks: equal where two executions combine the same in the same order.
  std::uint64_t fingerprint = 0;
  /// Blocks go only where blocks of the same canonical number belong, so blocks may be of unequal sizes known
  /// to sender and receiver.
  bool exact_shapes = true;
  /// No scratch block is written twice, so it can be where the message came that brought it.
  bool scratch_written_once = true;
  std::int64_t messages = 0;
  std::int64_t blocks_moved = 0;

  bool proven() const { return faults.empty(); }
};

/// Verifies the schedules of ranks 0 .. ranks-1, given in that order.
Verdict verify(const Problem& problem, std::span<const Schedule> schedules);

} // namespace thalweg::schedule

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/plan.hpp"
#include "mpi/abi/native.hpp"

namespace thalweg::mpi {

class RecentCall;

enum class Outcome {
  done,     ///< the call was made by the engine; `code` is its result
  declined, ///< the library must make it, for `reason`
};

/// What ran a call. Texts live as long as the process. Outcome and implementation are the same on all ranks
/// of the communicator.
struct CallResult {
  Outcome outcome;
  const char* implementation;       ///< the strategy that ran, or "native"
  const char* reason;               ///< why it was declined, nullptr when done
  int code;                         ///< MPI's error code when done
  bool was_refused = false;         ///< declined although a strategy of ours was chosen
  RecentCall* remembered = nullptr; ///< what it repeated
  /// What ran it, as long as nobody makes another call on the communicator; null where blocks told their
  /// sizes.
  const engine::Plan* plan = nullptr;
};

/// The library must make the call, for this reason.
inline CallResult declined(const char* reason) {
  return {Outcome::declined, "native", reason, MPI_SUCCESS};
}

} // namespace thalweg::mpi

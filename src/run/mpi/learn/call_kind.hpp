// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Calls that are alike for choosing a strategy. All ranks of a call find the same kind: nothing that is known
// to one rank alone is part of it.

#include <optional>

#include "mpi/call/collective_call.hpp"
#include "mpi/comm/communicators.hpp"

namespace thalweg::mpi {

struct CallKind {
  Operation operation;
  bool commutative = true; // reductions: whether operands may change places
  bool exact = true;       // every strategy gives the same result to the last bit
  bool is_private = false; // sizes are known to ranks alone, and agreed upon between rounds only
  std::int64_t bytes = 0;  // of a unit of this call; -1 where private
  std::int32_t size = 0;   // class of the bytes

  std::uint32_t key() const {
    return static_cast<std::uint32_t>(operation) << 16U | static_cast<std::uint32_t>(size) << 8U |
           static_cast<std::uint32_t>(commutative) << 1U | static_cast<std::uint32_t>(exact);
  }
};

// None where nothing can be learned: neighborhoods, calls that do not block, ranks that cannot agree.
std::optional<CallKind> kind_of(const CollectiveCall& call, CommunicatorState& communicator);

} // namespace thalweg::mpi

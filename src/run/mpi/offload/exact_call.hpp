// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "mpi/call/collective_call.hpp"
#include "mpi/comm/communicators.hpp"
#include "mpi/run/requests.hpp"
#include "strategies/implementation.hpp"

namespace thalweg::mpi {

// A sum of floating-point numbers that is rounded once, as a call for a sum of integers (nic/exact_sum.hpp).
// Devices, our engine and the library add these in any order, and the result has the same bits.
class ExactCall {
public:
  // Of a reduce or an allreduce where the choice asks for exact sums. Nothing where it does not, or they are
  // exact anyway, or cannot be made so, which the report says; the same on all ranks.
  static std::unique_ptr<ExactCall> of(const CollectiveCall& call, CommunicatorState& communicator,
                                       const strategies::Scheduled& scheduled);

  ExactCall(const CollectiveCall& call, CommunicatorState& communicator);

  // The call for the integers.
  const CollectiveCall& inner() const { return inner_; }
  // Takes what this rank brings; before the inner call begins, each time.
  void prepare();
  // Writes the result to where the program wants it; once the inner call has ended.
  void deliver();

private:
  CollectiveCall call_;
  CollectiveCall inner_;
  bool is_wanted_;
  int ranks_;
  std::vector<std::int64_t> brought_;
  std::vector<std::int64_t> summed_;
};

// The inner call, and what is to be done before and behind it; without an exact one the inner call itself.
std::unique_ptr<BackgroundCall> exactly(std::shared_ptr<ExactCall> exact,
                                        std::unique_ptr<BackgroundCall> inner);

} // namespace thalweg::mpi

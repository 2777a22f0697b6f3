// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mpi/call/collective_call.hpp"
#include "mpi/choose/tuned_choices.hpp"
#include "mpi/comm/communicators.hpp"
#include "mpi/offload/nic_group.hpp"
#include "mpi/run/call_result.hpp"
#include "mpi/run/requests.hpp"
#include "strategies/implementation.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace thalweg::mpi {

/// A sum of floating-point numbers that is rounded once, as a call for a sum of integers (nic/exact_sum.hpp).
/// Devices, our engine and the library add these in any order, and the result has the same bits.
class ExactCall {
public:
  /// Of a reduce or an allreduce where the choice asks for exact sums. Nothing where it does not, or they are
  /// exact anyway, or cannot be made so, which the report says; the same on all ranks.
  static std::unique_ptr<ExactCall> of(const CollectiveCall& call, CommunicatorState& communicator,
                                       const strategies::Scheduled& scheduled);

  ExactCall(const CollectiveCall& call, CommunicatorState& communicator);

  /// The call for the integers.
  const CollectiveCall& inner() const { return inner_; }
  /// Takes what this rank brings; before the inner call begins, each time.
  void prepare();
  /// Writes the result to where the program wants it; once the inner call has ended.
  void deliver();

private:
  CollectiveCall call_;
  CollectiveCall inner_;
  bool is_wanted_;
  int ranks_;
  std::vector<std::int64_t> brought_;
  std::vector<std::int64_t> summed_;
};

/// The inner call, and what is to be done before and behind it; without an exact one the inner call itself.
std::unique_ptr<BackgroundCall> exactly(std::shared_ptr<ExactCall> exact,
                                        std::unique_ptr<BackgroundCall> inner);

/// A call for which a strategy was chosen that network devices can run.
class OffloadedCall {
public:
  const CollectiveCall& call;
  CommunicatorState& communicator;
  const strategies::Scheduled& scheduled;
  const Choice& choice;
  CommunicatorPlans& plans;
  NicGroups& devices;
  /// What the call is made for, if it is that of an exact sum.
  const std::shared_ptr<ExactCall>& exact;
  /// Set where the engine must run it, and may not have to run the next one like it.
  bool& may_change;

  /// Nothing where the engine must run it as any other, the same on all ranks.
  std::optional<CallResult> run() const;

private:
  CallResult done(int code = MPI_SUCCESS) const { return {Outcome::done, choice.text, nullptr, code}; }
  Rank root() const;
  std::optional<CallResult> run_now(NicOperation& operation) const;
  std::optional<CallResult> run_later(std::unique_ptr<NicOperation> operation) const;
  CallResult make_persistent(std::unique_ptr<NicOperation> operation) const;
};

} // namespace thalweg::mpi

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "mpi/choose/choice.hpp"
#include "mpi/offload/exact_call.hpp"
#include "mpi/offload/nic_groups.hpp"
#include "mpi/run/ran.hpp"

namespace thalweg::mpi {

// A call for which a strategy was chosen that network devices can run.
class OffloadedCall {
public:
  const CollectiveCall& call;
  CommunicatorState& communicator;
  const strategies::Scheduled& scheduled;
  const Choice& choice;
  CommunicatorPlans& plans;
  NicGroups& devices;
  // What the call is made for, if it is that of an exact sum.
  const std::shared_ptr<ExactCall>& exact;
  // Set where the engine must run it, and may not have to run the next one like it.
  bool& may_change;

  // Nothing where the engine must run it as any other, the same on all ranks.
  std::optional<Ran> run() const;

private:
  Ran done(int code = MPI_SUCCESS) const { return {Outcome::done, choice.text, nullptr, code}; }
  Rank root() const;
  std::optional<Ran> run_now(NicOperation& operation) const;
  std::optional<Ran> run_later(std::unique_ptr<NicOperation> operation) const;
  Ran make_persistent(std::unique_ptr<NicOperation> operation) const;
};

} // namespace thalweg::mpi

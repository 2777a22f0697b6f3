// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The groups on network devices that calls on a communicator share, and how blocking calls wait for them.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "mpi/offload/nic_group.hpp"
#include "mpi/offload/nic_operation.hpp"
#include "mpi/run/communicator_plans.hpp"
#include "wait/policy.hpp"

namespace thalweg::mpi {

class NicGroups {
public:
  // The group that runs a choice's calls at that root, with the operation's combiner, asked for with the
  // first of them. `id` tells choices apart (Choice::id).
  const std::shared_ptr<NicGroup>& group_for(const strategies::Scheduled& scheduled, std::int64_t id,
                                             Rank root, const GroupOperator& combiner,
                                             CommunicatorState& communicator, CommunicatorPlans& plans);

private:
  struct Entry {
    std::int64_t id;
    Rank root;
    GroupOperator combiner;
    std::shared_ptr<NicGroup> group;
  };
  std::vector<Entry> entries_;
};

// Waits as the communicator's channels do until it is known whether devices can run the group's calls.
void wait_for_nics(NicGroup& group, const wait::Policy& policy);

// Runs a blocking call on the devices. Waits like that, but visits the MPI library less often. Returns MPI's
// error code; nothing where the devices were lost before, and our engine has to run it.
std::optional<int> run_on_nics(NicGroup& group, NicOperation& operation, const wait::Policy& policy);

// How the report names a choice that offloads where our engine runs it; lives as long as the process.
const char* name_on_engine(const char* text);

} // namespace thalweg::mpi

#pragma once

// The groups on network devices that calls on a communicator share, and how blocking calls wait for them.

#include <cstdint>
#include <memory>
#include <vector>

#include "mpi/run/communicator_plans.hpp"
#include "mpi/run/device_group.hpp"
#include "mpi/run/device_operation.hpp"
#include "wait/policy.hpp"

namespace thalweg::mpi {

class DeviceGroups {
public:
  // The group that runs a choice's calls at that root, with the operation's combiner, asked for with the
  // first of them. `id` tells choices apart (Choice::id).
  const std::shared_ptr<DeviceGroup>& group_for(const strategies::Scheduled& scheduled, std::int64_t id,
                                                Rank root, const GroupOperator& combiner,
                                                CommunicatorState& communicator, CommunicatorPlans& plans);

private:
  struct Entry {
    std::int64_t id;
    Rank root;
    GroupOperator combiner;
    std::shared_ptr<DeviceGroup> group;
  };
  std::vector<Entry> entries_;
};

// Waits as the communicator's channels do until it is known whether devices can run the group's calls. Gives
// whether they can.
bool wait_for_devices(DeviceGroup& group, const wait::Policy& policy);

// Runs a blocking call on the devices. Waits like that, but visits the MPI library less often. Returns MPI's
// error code.
int run_on_devices(DeviceGroup& group, DeviceOperation& operation, const wait::Policy& policy);

// How the report names a choice that offloads where our engine runs it; lives as long as the process.
const char* name_on_engine(const char* text);

} // namespace thalweg::mpi

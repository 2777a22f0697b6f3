#pragma once

// A communicator's groups on the hosts' network devices (room nic), for strategies that offload.

#include <cstdint>
#include <memory>
#include <vector>

#include "mpi/comm/communicators.hpp"
#include "nic/member.hpp"
#include "strategies/implementation.hpp"
#include "wait/policy.hpp"

namespace thalweg::mpi {

class DeviceGroups {
public:
  // The group that runs a choice's barriers; null where our engine must, the same on all ranks. They are in
  // the same blocking call, and join with the first one. `id` tells choices apart (Choice::id).
  nic::Member* member_for(const strategies::Scheduled& scheduled, std::int64_t id,
                          CommunicatorState& communicator);

private:
  struct Joined {
    std::int64_t id;
    std::unique_ptr<nic::Member> member;
  };
  std::vector<Joined> joined_;
};

// Waits in the group's next barrier, as the communicator's channels do, but visits the MPI library less
// often.
void run_barrier(nic::Member& member, const wait::Policy& policy);

// How the report names a choice that offloads where our engine runs it; lives as long as the process.
const char* name_on_engine(const char* text);

} // namespace thalweg::mpi

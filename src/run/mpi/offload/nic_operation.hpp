// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A call as the network devices run it.

#include "mpi/offload/nic_group.hpp"
#include "wait/policy.hpp"

namespace thalweg::mpi {

class NicOperation {
public:
  virtual ~NicOperation() = default;
  // Begins it as the group's next operation; its packet leaves now, if the group is there. Returns MPI's
  // error code.
  virtual int begin(NicGroup& group) = 0;
  // Goes on without waiting; true once it is done. Devices run the group's calls.
  virtual bool advance(NicGroup& group) = 0;
  // Waits until it is done, in a way that the device can end. False where the devices are lost before.
  virtual bool run(NicGroup& group, const wait::Policy& policy) = 0;
  // Of the group that runs it: without a name where packets say how they are combined.
  virtual GroupOperator combiner() const { return {}; }
  // MPI's error code, once it is done.
  virtual int code() const { return MPI_SUCCESS; }

protected:
  NicOperation() = default;
  NicOperation(const NicOperation&) = delete;
  NicOperation& operator=(const NicOperation&) = delete;
};

} // namespace thalweg::mpi

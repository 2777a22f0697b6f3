#pragma once

// A call as the network devices run it.

#include "mpi/run/device_group.hpp"
#include "wait/policy.hpp"

namespace thalweg::mpi {

class DeviceOperation {
public:
  virtual ~DeviceOperation() = default;
  // Begins it as the group's next operation; its packet leaves now, if the group is there. Returns MPI's
  // error code.
  virtual int begin(DeviceGroup& group) = 0;
  // Goes on without waiting; true once it is done. Devices run the group's calls.
  virtual bool advance(DeviceGroup& group) = 0;
  // Waits until it is done, in a way that the device can end.
  virtual void run(DeviceGroup& group, const wait::Policy& policy) = 0;
  // Of the group that runs it: without a name where packets say how they are combined.
  virtual GroupOperator combiner() const { return {}; }
  // MPI's error code, once it is done.
  virtual int code() const { return MPI_SUCCESS; }

protected:
  DeviceOperation() = default;
  DeviceOperation(const DeviceOperation&) = delete;
  DeviceOperation& operator=(const DeviceOperation&) = delete;
};

} // namespace thalweg::mpi

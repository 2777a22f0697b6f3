#pragma once

#include <memory>

#include "mpi/run/bound_run.hpp"
#include "mpi/run/device_operation.hpp"

namespace thalweg::mpi {

// A broadcast that the network devices relay. The root is done when its own has the message.
class DeviceBroadcast final : public DeviceOperation {
public:
  // Of a message that is not empty, and of 88 KiB at most. Else nothing, and why, for the report: the same on
  // all ranks.
  static std::unique_ptr<DeviceOperation> of(const CollectiveCall& call, CommunicatorState& communicator,
                                             const char*& why_not);

  DeviceBroadcast(CallBinding bound, Rank rank, std::size_t bytes, bool outlives_call);
  ~DeviceBroadcast() override;

  int begin(DeviceGroup& group) override;
  bool advance(DeviceGroup& group) override;
  void run(DeviceGroup& group, const wait::Policy& policy) override;
  int code() const override { return code_; }

private:
  CallBinding bound_;
  Rank rank_;
  std::size_t bytes_;
  bool outlives_call_; // the program may free its datatypes before it is done
  RunStorage storage_;
  engine::Buffers buffers_;
  nic::Relayed broadcast_;
  int code_ = MPI_SUCCESS;
};

} // namespace thalweg::mpi

#pragma once

#include "mpi/run/device_operation.hpp"
#include "mpi/run/device_words.hpp"

namespace thalweg::mpi {

// A barrier, a reduce or an allreduce that the network devices gather and combine.
class DeviceGathering final : public DeviceOperation {
public:
  DeviceGathering(const CollectiveCall& call, const DeviceWords& words) : call_(call), words_(words) {}

  int begin(DeviceGroup& group) override;
  bool advance(DeviceGroup& group) override;
  void run(DeviceGroup& group, const wait::Policy& policy) override;

private:
  CollectiveCall call_;
  DeviceWords words_;
  nic::Underway operation_;
};

} // namespace thalweg::mpi

#pragma once

#include "mpi/run/device_gathering.hpp"
#include "mpi/run/device_words.hpp"

namespace thalweg::mpi {

// A barrier, a reduce or an allreduce, which the network devices combine.
class DeviceReduction final : public DeviceGathering {
public:
  DeviceReduction(const CollectiveCall& call, const DeviceWords& words)
      : DeviceGathering(function_name(call), words.is_wanted()), call_(call), words_(words) {}

private:
  int contribute(thalweg_nic_content& content) override {
    content = words_.contribution(call_);
    return MPI_SUCCESS;
  }
  int deliver(const thalweg_nic_content& result) override {
    words_.deliver(result, call_);
    return MPI_SUCCESS;
  }

  CollectiveCall call_;
  DeviceWords words_;
};

} // namespace thalweg::mpi

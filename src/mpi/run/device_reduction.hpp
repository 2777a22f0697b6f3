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
  std::size_t rows() const override { return words_.rows(); }
  void contribute(std::size_t row, thalweg_nic_content& content) override {
    words_.contribute(call_, row, content);
  }
  void deliver(std::size_t row, const thalweg_nic_content& result) override {
    words_.deliver(result, row, call_);
  }

  CollectiveCall call_;
  DeviceWords words_;
};

} // namespace thalweg::mpi

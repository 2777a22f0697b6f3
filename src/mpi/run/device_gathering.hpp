#pragma once

#include "mpi/run/device_operation.hpp"

namespace thalweg::mpi {

// A call that the network devices gather: each rank brings words, and what all words combine to comes back.
class DeviceGathering : public DeviceOperation {
public:
  int begin(DeviceGroup& group) override;
  bool advance(DeviceGroup& group) override;
  void run(DeviceGroup& group, const wait::Policy& policy) override;
  int code() const override { return code_; }

protected:
  // `name`: the MPI function's. `is_wanted`: whether the result is for this rank. That of a reduce or a
  // gather is for its root.
  DeviceGathering(const char* name, bool is_wanted) : name_(name), is_wanted_(is_wanted) {}

private:
  // Fills in what this rank brings. Returns MPI's error code.
  virtual int contribute(thalweg_nic_content& content) = 0;
  // Writes the result to where the call wants it. Returns MPI's error code.
  virtual int deliver(const thalweg_nic_content& result) = 0;

  void end(DeviceGroup& group);

  const char* name_;
  bool is_wanted_;
  nic::Underway operation_;
  int code_ = MPI_SUCCESS;
};

} // namespace thalweg::mpi

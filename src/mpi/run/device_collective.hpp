#pragma once

#include <memory>

#include "mpi/run/device_operation.hpp"
#include "mpi/run/pending_collective.hpp"

namespace thalweg::mpi {

// A nonblocking or persistent collective on the network devices, which goes on while the program computes.
// Where it turns out that they cannot run it, our engine does.
class DeviceCollective final : public BackgroundCall {
public:
  // `name`: the MPI function's. `fallback`: the same call on the engine; may be null where the group is known
  // to be on devices.
  DeviceCollective(std::shared_ptr<DeviceGroup> group, std::unique_ptr<DeviceOperation> operation,
                   const char* name, std::unique_ptr<PendingCollective> fallback);

  // Begins the run.
  void start();
  bool progress() noexcept override;
  void restart() noexcept override { start(); }
  int code() const noexcept override { return code_; }

private:
  bool advance();
  bool advance_on_engine();

  std::shared_ptr<DeviceGroup> group_;
  std::unique_ptr<DeviceOperation> operation_;
  const char* name_;
  std::unique_ptr<PendingCollective> fallback_;
  bool is_on_engine_ = false;
  int code_ = MPI_SUCCESS;
};

} // namespace thalweg::mpi

#pragma once

#include <memory>

#include "mpi/run/bound_buffers.hpp"
#include "mpi/run/device_gathering.hpp"

namespace thalweg::mpi {

// A gather or an allgather of a few bytes: each rank brings a row of words with its block at its place and
// zeros elsewhere, and the network devices put all rows together.
class DeviceBlocks final : public DeviceGathering {
public:
  // Of blocks that are not empty, all of them in 32 words. Else nothing, and why, for the report: the same on
  // all ranks.
  static std::unique_ptr<DeviceOperation> of(const CollectiveCall& call, CommunicatorState& communicator,
                                             const char*& why_not);

  DeviceBlocks(const CollectiveCall& call, CommunicatorState& communicator);

private:
  int contribute(thalweg_nic_content& content) override;
  int deliver(const thalweg_nic_content& result) override;

  BoundBuffers buffers_;
  std::size_t ranks_;
};

} // namespace thalweg::mpi

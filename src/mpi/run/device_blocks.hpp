#pragma once

#include <memory>

#include "mpi/run/bound_buffers.hpp"
#include "mpi/run/device_gathering.hpp"

namespace thalweg::mpi {

// A gather or an allgather of short blocks: each rank brings the words that its block is in, with zeros
// beside it, and the network devices put all of them together.
class DeviceBlocks final : public DeviceGathering {
public:
  // Of blocks that are not empty, all of them in 1024 words. Else nothing, and why, for the report: the same
  // on all ranks.
  static std::unique_ptr<DeviceOperation> of(const CollectiveCall& call, CommunicatorState& communicator,
                                             const char*& why_not);

  DeviceBlocks(const CollectiveCall& call, CommunicatorState& communicator);

private:
  std::size_t rows() const override;
  int prepare() override { return buffers_.stage_in(); }
  int finish() override { return buffers_.stage_out(); }
  void contribute(std::size_t row, thalweg_nic_content& content) override;
  void deliver(std::size_t row, const thalweg_nic_content& result) override;

  // The bytes of a row, of all ranks' blocks one behind the other.
  struct Row {
    std::size_t begin;
    std::size_t end;
  };
  Row bytes_of(std::size_t row) const;

  BoundBuffers buffers_;
  std::size_t ranks_;
};

} // namespace thalweg::mpi

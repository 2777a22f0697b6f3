// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "mpi/offload/nic_gathering.hpp"
#include "mpi/run/bound_buffers.hpp"

namespace thalweg::mpi {

// A gather or an allgather of short blocks: each rank brings the words that its block is in, with zeros
// beside it, and the network devices put all of them together.
class NicBlocks final : public NicGathering {
public:
  // Of blocks that are not empty, all of them in 1024 words. Else nothing, and why, for the report: the same
  // on all ranks.
  static std::unique_ptr<NicOperation> of(const CollectiveCall& call, CommunicatorState& communicator,
                                          const char*& why_not);

  NicBlocks(const CollectiveCall& call, CommunicatorState& communicator);

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

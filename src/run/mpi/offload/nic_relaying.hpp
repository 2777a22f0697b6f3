// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "mpi/offload/nic_operation.hpp"
#include "mpi/run/bound_buffers.hpp"

namespace thalweg::mpi {

// A broadcast or a scatter that the network devices relay. All that a root scatters goes to all hosts, where
// each rank takes its own. The root is done when its own device has the message.
class NicRelaying final : public NicOperation {
public:
  // Of a message that is not empty, and of 88 KiB at most. Else nothing, and why, for the report: the same on
  // all ranks.
  static std::unique_ptr<NicOperation> of(const CollectiveCall& call, CommunicatorState& communicator,
                                          const char*& why_not);

  NicRelaying(const CollectiveCall& call, CommunicatorState& communicator);

  int begin(NicGroup& group) override;
  bool advance(NicGroup& group) override;
  bool run(NicGroup& group, const wait::Policy& policy) override;
  int code() const override { return code_; }

private:
  std::span<std::byte> message();
  void deliver();

  BoundBuffers buffers_;
  std::size_t bytes_;
  bool scatters_;
  std::vector<std::byte> all_; // of a scatter, on ranks that are not its root
  nic::MemberBroadcast relayed_;
  int code_ = MPI_SUCCESS;
};

} // namespace thalweg::mpi

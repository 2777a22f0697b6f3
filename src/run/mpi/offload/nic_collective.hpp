// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "mpi/offload/nic_operation.hpp"
#include "mpi/run/pending_collective.hpp"

namespace thalweg::mpi {

// A nonblocking or persistent collective on the network devices, which goes on while the program computes.
// Where it turns out that they cannot run it, our engine does.
class NicCollective final : public BackgroundCall {
public:
  // `name`: the MPI function's.
  NicCollective(std::shared_ptr<NicGroup> group, std::unique_ptr<NicOperation> operation, const char* name);
  // The same call on the engine; not needed where the group is known to be on devices, and they were not lost
  // when it was begun.
  void fall_back_on(std::unique_ptr<PendingCollective> fallback) { fallback_ = std::move(fallback); }

  // Begins the run.
  void start();
  bool progress() noexcept override;
  void restart() noexcept override { start(); }
  int code() const noexcept override { return code_; }

private:
  bool advance();
  bool advance_on_engine();

  std::shared_ptr<NicGroup> group_;
  std::unique_ptr<NicOperation> operation_;
  const char* name_;
  std::unique_ptr<PendingCollective> fallback_;
  std::uint32_t first_epoch_ = 0;
  bool is_on_engine_ = false;
  int code_ = MPI_SUCCESS;
};

} // namespace thalweg::mpi

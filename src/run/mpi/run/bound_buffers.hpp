// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mpi/run/bound_run.hpp"

namespace thalweg::mpi {

// A call's buffers as rows of bytes, packed where the program's have gaps, for what devices do with bytes.
class BoundBuffers {
public:
  BoundBuffers(const CollectiveCall& call, CommunicatorState& communicator);
  BoundBuffers(BoundBuffers&&) = delete;
  ~BoundBuffers();

  Rank rank() const { return rank_; }
  bool is_root() const { return bound_.problem.root == rank_; }
  // Bytes of a unit (schedule/buffers.hpp): the same on all ranks.
  std::size_t unit_bytes() const { return static_cast<std::size_t>(bound_.problem.unit_bytes); }

  // Packs the input. Returns MPI's error code.
  int stage_in() { return mpi::stage_in(bound_, rank_, storage_, buffers_); }
  // Unpacks the output.
  int stage_out() { return mpi::stage_out(bound_, rank_, buffers_); }
  std::byte* input() const { return buffers_.input; }
  std::byte* output() const { return buffers_.output; }

private:
  CallBinding bound_;
  Rank rank_;
  bool outlives_call_; // the program may free its datatypes before it is done
  RunStorage storage_;
  engine::Buffers buffers_;
};

} // namespace thalweg::mpi

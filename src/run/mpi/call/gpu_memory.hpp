// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Memory of GPUs, which only the MPI library may touch: the processor cannot read most of it.
//
// Which calls get such buffers is a matter of each rank, but who runs a call is a matter of all. So ranks
// agree at the start whether some process has a GPU's runtime loaded: calls with data are the library's then.
// Where one is loaded later, its buffers are asked for at each call, and the library packs and unpacks them.

#include "job/placement.hpp"
#include "mpi/call/buffer_needs.hpp"
#include "mpi/state/runtime.hpp"
#include "mpi/state/settings.hpp"

#include <span>
#include <string>

namespace thalweg::mpi {

/// A number for the runtime that is loaded into this process (RankPlace::gpu_runtime); 0: none is.
std::int64_t loaded_gpu_runtime();

/// Whether calls with data are the library's, from agreed values.
GpuPlan gpu_plan(GpuBuffers setting, std::span<const job::RankPlace> ranks);

/// For people: why they are; empty where they are not.
std::string gpu_text(const GpuPlan& plan);

/// May an address be in a GPU's memory? A runtime that was loaded since the last question is found.
bool may_be_on_gpu(const void* address);
bool may_be_on_gpu(const void* sendbuf, const void* recvbuf);

/// Are the buffers of calls like one another in the host's memory, and those that the library wants? Those of
/// the last call are known. One whose receive buffer is MPI_IN_PLACE is unlike all.
class HostBuffers {
public:
  HostBuffers() = default;
  explicit HostBuffers(BufferNeeds needs) : needs_(needs) {}

  bool include(const void* sendbuf, const void* recvbuf) {
    return are_known(sendbuf, recvbuf) || look(sendbuf, recvbuf);
  }
  bool are_known(const void* sendbuf, const void* recvbuf) const {
    return sendbuf == sendbuf_ && recvbuf == recvbuf_;
  }

private:
  bool look(const void* sendbuf, const void* recvbuf);

  static constexpr char nowhere = 0; ///< none have been looked at

  BufferNeeds needs_;
  const void* sendbuf_ = &nowhere;
  const void* recvbuf_ = &nowhere;
};

} // namespace thalweg::mpi

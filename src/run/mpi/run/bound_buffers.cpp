// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/run/bound_buffers.hpp"

namespace thalweg::mpi {

BoundBuffers::BoundBuffers(const CollectiveCall& call, CommunicatorState& communicator)
    : bound_(bind_call(call, communicator)), rank_(communicator.rank),
      outlives_call_(call.function->mode != Mode::blocking) {
  if (!outlives_call_)
    return;
  bound_.input.retain_types();
  bound_.output.retain_types();
}

BoundBuffers::~BoundBuffers() {
  if (!outlives_call_)
    return;
  bound_.input.release_types();
  bound_.output.release_types();
}

} // namespace thalweg::mpi

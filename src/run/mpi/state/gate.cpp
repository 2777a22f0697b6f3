// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/state/gate.hpp"

namespace thalweg::mpi {

void leave_frames_below(const void* stack_pointer) {
  const Frame* const before = innermost_frame;
  while (innermost_frame != nullptr && static_cast<const void*>(innermost_frame) < stack_pointer)
    innermost_frame = innermost_frame->outer();
  if (innermost_frame != before && innermost_frame == nullptr)
    if (const auto put_in_order = after_jump.load(std::memory_order_relaxed))
      put_in_order();
}

} // namespace thalweg::mpi

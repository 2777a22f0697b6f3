// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/state/gate.hpp"

namespace thalweg::mpi {

void leave_frames_below(const void* stack_pointer) {
  const Frame* const before = this_thread.innermost_frame;
  while (this_thread.innermost_frame != nullptr &&
         static_cast<const void*>(this_thread.innermost_frame) < stack_pointer)
    this_thread.innermost_frame = this_thread.innermost_frame->outer();
  if (this_thread.innermost_frame != before && this_thread.innermost_frame == nullptr)
    if (const auto put_in_order = process.hooks.after_jump.load(std::memory_order_relaxed))
      put_in_order();
}

} // namespace thalweg::mpi

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Whether a call that arrives at an entry point is ours to handle.

#include "mpi/state/process_state.hpp"

#include <atomic>

namespace thalweg::mpi {

/// A frame on the stack that is inside of a handler of ours, or outside again, where we call the program's
/// code as the program would. The library's own calls of MPI functions (MPI-IO, profiling layers, callbacks)
/// arrive inside and are passed on untouched. Exceptions end frames as returns do; see also
/// leave_frames_below().
class Frame {
public:
  explicit Frame(bool is_inside);
  ~Frame();
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  bool is_inside() const { return is_inside_; }
  const Frame* outer() const { return outer_; }

private:
  const Frame* outer_;
  bool is_inside_;
};

inline Frame::Frame(bool is_inside) : outer_(this_thread.innermost_frame), is_inside_(is_inside) {
  this_thread.innermost_frame = this;
}
inline Frame::~Frame() {
  this_thread.innermost_frame = outer_;
}

struct Inside : Frame {
  Inside() : Frame(true) {}
};
struct Outside : Frame {
  Outside() : Frame(false) {}
};

/// The program leaves calls of ours by a jump (longjmp) to where the stack pointer had this value: frames
/// that lie below have ended without a word.
inline void leave_frames_below(const void* stack_pointer) {
  const Frame* const before = this_thread.innermost_frame;
  while (this_thread.innermost_frame != nullptr &&
         static_cast<const void*>(this_thread.innermost_frame) < stack_pointer)
    this_thread.innermost_frame = this_thread.innermost_frame->outer();
  if (this_thread.innermost_frame != before && this_thread.innermost_frame == nullptr)
    if (const auto put_in_order = process.hooks.after_jump.load(std::memory_order_relaxed))
      put_in_order();
}

/// Resolves the library at the first call. Afterwards `process.interposer` is not `unstarted`.
void begin();

inline bool passing() {
  const InterposerState now = process.interposer.load(std::memory_order_relaxed);
  if (now >= InterposerState::bypass) {
    return true;
  }
  if (now == InterposerState::unstarted) [[unlikely]] {
    begin();
    return process.interposer.load(std::memory_order_relaxed) >= InterposerState::bypass;
  }
  return this_thread.innermost_frame != nullptr && this_thread.innermost_frame->is_inside();
}

} // namespace thalweg::mpi

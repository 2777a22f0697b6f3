// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Whether a call that arrives at an entry point is ours to handle.

#include <atomic>

namespace thalweg::mpi {

enum class InterposerState : int {
  unstarted, // no MPI function was called yet
  active,
  bypass, // disabled, foreign library, or finalized: every call goes straight to the library, for good
  paused, // the same until the program says otherwise (thalweg_bypass)
};

inline constinit std::atomic<InterposerState> interposer_state{InterposerState::unstarted};

// A frame on the stack that is inside of a handler of ours, or outside again, where we call the program's
// code as the program would. The library's own calls of MPI functions (MPI-IO, profiling layers, callbacks)
// arrive inside and are passed on untouched. Exceptions end frames as returns do; see also
// leave_frames_below().
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

// This thread's innermost one; null: none.
inline constinit thread_local const Frame* innermost_frame = nullptr;

inline Frame::Frame(bool is_inside) : outer_(innermost_frame), is_inside_(is_inside) {
  innermost_frame = this;
}
inline Frame::~Frame() {
  innermost_frame = outer_;
}

struct Inside : Frame {
  Inside() : Frame(true) {}
};
struct Outside : Frame {
  Outside() : Frame(false) {}
};

// The program leaves calls of ours by a jump (longjmp) to where the stack pointer had this value: frames that
// lie below have ended without a word.
void leave_frames_below(const void* stack_pointer);

// What else a thread has to put in order then, once it is in no call of ours; null for nothing.
inline constinit std::atomic<void (*)()> after_jump{nullptr};

// Resolves the library at the first call. Afterwards `interposer_state` is not `unstarted`.
void begin();

inline bool passing() {
  const InterposerState now = interposer_state.load(std::memory_order_relaxed);
  if (now >= InterposerState::bypass) {
    return true;
  }
  if (now == InterposerState::unstarted) [[unlikely]] {
    begin();
    return interposer_state.load(std::memory_order_relaxed) >= InterposerState::bypass;
  }
  return innermost_frame != nullptr && innermost_frame->is_inside();
}

} // namespace thalweg::mpi

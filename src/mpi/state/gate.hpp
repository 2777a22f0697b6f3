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

// How many of our handlers this thread is inside of. The library's own calls of MPI functions (MPI-IO,
// profiling layers, callbacks) arrive with a depth above zero and are passed on untouched.
inline constinit thread_local int depth = 0;

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
  return depth != 0;
}

class Inside {
public:
  Inside() { ++depth; }
  ~Inside() { --depth; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

} // namespace thalweg::mpi

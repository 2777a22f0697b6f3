// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// All that changes in this process and is looked at in many places, in one view. What has an owner of its
// own, such as tables of calls or the communicators, is kept by that owner; docs/design.md lists both.

#include "mpi/state/passage.hpp"

#include <atomic>
#include <cstdint>

namespace thalweg::mpi {

enum class InterposerState : int {
  unstarted, ///< no MPI function was called yet
  active,
  bypass, ///< disabled, foreign library, or finalized: every call goes straight to the library, for good
  paused, ///< the same until the program says otherwise (thalweg_bypass)
};

/// What is written down of calls. Set at the start and by MPI_Pcontrol, in one thread.
struct Observation {
  bool is_on = true; ///< nothing is while it is off; the others are looked at only where it is on
  bool reports = false;
  bool traffic = false; ///< who sends how much to whom, in messages and in collectives
  bool traces = false;  ///< the calls in their order, for one of these or both:
  bool keeps_trace = false;
  bool keeps_timeline = false;
  std::uint16_t phase = 0;
  bool messages = false; ///< who sends how much to whom, in messages alone; on where `traffic` is

  bool is_wanted() const { return reports || messages || traces; }
  bool is_counting() const { return messages && is_on; }
  bool is_tracing() const { return traces && is_on; }
};

/// Where operations are advanced: those that complete inside of the library's progress are told to the
/// library afterwards, as are those that the progress thread ends where it may not call the library.
enum class AdvancedFrom { outside, in_progress, progress_thread };

/// What goes on beside the program's calls (wait/polling.hpp). The functions are set before what they look
/// after is counted.
struct Background {
  std::atomic<int> executions{0}; ///< of ours in flight
  /// These, one for each group on network cards, and one for each library with streams: calls look at no more
  /// than this.
  std::atomic<int> work{0};
  /// Has anything moved, as far as it is known?
  std::atomic<bool (*)(AdvancedFrom)> advance_executions{nullptr};
  std::atomic<int> executions_of_thread{0};        ///< those in flight that the progress thread is to advance
  std::atomic<std::uint32_t> advances_in_calls{0}; ///< how often calls of the program were at it
  /// The progress thread may be preempted by the program's threads in the middle of an operation.
  std::atomic<bool> thread_shares_core{false};
  /// Lets streams progress. The program waits: it has nothing else to do, so they are looked after at once,
  /// and not now and then. Has anything of theirs moved?
  std::atomic<bool (*)(bool waits)> progress_streams{nullptr};
  std::atomic<int> libraries_with_streams{0};
  std::atomic<void (*)()> look_after_nics{nullptr};
  std::atomic<bool> has_opened_files{false}; ///< the program has
};

/// What a room calls without knowing who is above it; null for nothing.
struct Hooks {
  /// The program left calls by a jump: what else a thread has to put in order, once it is in no call of ours.
  std::atomic<void (*)()> after_jump{nullptr};
  void (*before_finalize)() = nullptr; ///< the program frees MPI_COMM_SELF, which MPI_Finalize does first
  void (*after_program)() =
      nullptr; ///< behind that, when no code of the program runs any more that may use MPI
};

struct SharedCounts {
  /// Raised when a handle may have become another communicator's: threads forget what they remember of it.
  std::atomic<std::uint32_t> communicator_removals{0};
  std::atomic<int> generalized_requests{0}; ///< that are open, of our making
  std::atomic<int> persistent_handles{0};   ///< of operations of ours
  std::atomic<int> persistent_started{0};   ///< of these, and the program knows of no end
  /// Generalized requests and those that were started. While there are none, calls that wait for requests
  /// need not look at these.
  std::atomic<int> special_requests{0};
  std::atomic<int> open_shadows{0};
};

/// What became of the library's progress function, which is ours as well (wait/library_progress.hpp).
struct LibraryProgress {
  std::atomic<int (*)()> function{nullptr}; ///< Open MPI's own; null before its first look
  std::atomic<bool> came_here{false};
  /// Has a look found messages? If none ever does, they move beside what is looked at.
  std::atomic<bool> sees_messages{false};
  std::atomic<int> waiting_threads{0};
  /// Threads that call sched_yield and get their core back late go to another (wait/library_progress.cpp).
  std::atomic<bool> leaves_contended_cores{false};
};

struct ProcessState {
  std::atomic<InterposerState> interposer{InterposerState::unstarted};
  Passage passage;
  Observation observation;
  Background background;
  Hooks hooks;
  SharedCounts counts;
  LibraryProgress progress;
};

inline constinit ProcessState process;

class Frame;

struct ThreadState {
  const Frame* innermost_frame = nullptr; ///< null: in no call of ours (state/gate.hpp)
  int looks_in_vain = 0;                  ///< of the program, one after the other (wait/wait_mode.hpp)
  bool is_advancing = false;              ///< operations in flight
  /// In the library's progress (wait/library_progress.cpp):
  bool is_counted_as_waiting = false;
  bool is_in_progress = false;
  bool found_nothing = false;
  std::uint32_t untimed_yields = 0; ///< that follow
  std::uint64_t left_progress_ticks = 0;
  std::uint64_t looked_at_streams_ticks = 0;
};

inline constinit thread_local ThreadState this_thread;

/// Choices, communicators, phases or what is remembered of calls have changed, so that all threads forget the
/// calls that they know (run/fast_path.hpp, entry/counted_calls.hpp).
inline void invalidate_fast_path() {
  process.passage.invalidate();
}

/// Calls have to look after so many things more.
inline void background_begun(int count) {
  process.background.work.fetch_add(count, std::memory_order_release);
  process.passage.background_begun(count);
}
inline void background_ended(int count) {
  process.background.work.fetch_sub(count, std::memory_order_relaxed);
  process.passage.background_ended(count);
}

/// A request that calls which wait for it treat on their own: of our making, or generalized.
inline void special_request_begun(std::atomic<int>& of_kind) {
  of_kind.fetch_add(1, std::memory_order_relaxed);
  process.counts.special_requests.fetch_add(1, std::memory_order_relaxed);
}
inline void special_request_ended(std::atomic<int>& of_kind) {
  of_kind.fetch_sub(1, std::memory_order_relaxed);
  process.counts.special_requests.fetch_sub(1, std::memory_order_relaxed);
}

} // namespace thalweg::mpi

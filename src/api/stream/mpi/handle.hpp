// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What thalweg_stream of the C interface is, and what its functions begin with.

#include "base/assertion.hpp"
#include "boundary/guarded.hpp"
#include "stream/mpi/stream_job.hpp"
#include "stream/plain_items.hpp"
#include "thalweg/stream.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace thalweg::streams {

/// The program's calls of its streams, as far as the interposer has to know of them: it lets streams progress
/// in the program's MPI calls, but not in those that are made in a call of a stream, by the library itself or
/// by a handler.

/// The lock of thalweg_stream_lock(). It may be held several times by one thread.
class ProcessLock {
public:
  void lock() {
    mutex_.lock();
    ++held;
  }
  bool try_lock() {
    const bool locked = mutex_.try_lock();
    held += locked ? 1 : 0;
    return locked;
  }
  void unlock() {
    THALWEG_ASSERT(normal, held > 0);
    --held;
    mutex_.unlock();
  }
  /// By this thread.
  static bool is_held() { return held > 0; }

private:
  std::recursive_mutex mutex_;
  static inline constinit thread_local int held = 0;
};

/// One for all streams of the process, as progress of one is that of all.
inline ProcessLock& process_lock() {
  static ProcessLock lock;
  return lock;
}

/// As long as it lives, this thread is in a call of a stream.
class Call {
public:
  /// `by_program`: and not by the interposer.
  explicit Call(bool by_program = true) {
    if (depth++ > 0 || !by_program)
      return;
    count_of_process.store(count() + 1, std::memory_order_relaxed);
    if (!ProcessLock::is_held())
      user_of_process.store(std::this_thread::get_id(), std::memory_order_relaxed);
  }
  ~Call() { --depth; }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  static bool is_open() { return depth > 0; }
  /// The program's calls so far.
  static std::uint64_t count() { return count_of_process.load(std::memory_order_relaxed); }
  /// The thread that was the last one to use streams without their lock.
  static std::thread::id user() { return user_of_process.load(std::memory_order_relaxed); }

private:
  static inline constinit thread_local int depth = 0;
  static inline constinit std::atomic<std::uint64_t> count_of_process{0};
  static inline std::atomic<std::thread::id> user_of_process{};
};

} // namespace thalweg::streams

struct thalweg_stream {
  /// `site`: the place in the program that makes it.
  thalweg_stream(MPI_Comm communicator, const thalweg_stream_options& options,
                 const thalweg_stream_handler& handler, const void* site);
  thalweg_stream(const thalweg_stream&) = delete;
  thalweg_stream& operator=(const thalweg_stream&) = delete;

  thalweg::streams::ItemStream& items() { return job.stream(); }
  /// From here on, until the program uses a stream again, its data are its own.
  void phase_has_ended() { ended_at = thalweg::streams::Call::count(); }
  bool is_used() const { return thalweg::streams::Call::count() != ended_at; }

  thalweg::streams::PlainItems plain;
  thalweg::streams::StreamJob job;
  std::shared_ptr<thalweg_stream*> alive = std::make_shared<thalweg_stream*>(this); ///< for requests
  const void* site;
  std::string name;
  std::string remarks; ///< lines
  thalweg::streams::LoadHistory loads;
  std::string explanation;
  std::uint64_t id = 0; ///< the same on all ranks
  std::uint64_t ended_at = 0;
};

namespace thalweg::streams {

inline boundary::Caller caller(std::string_view call, const thalweg_stream* stream) {
  if (stream == nullptr)
    return {.call = call};
  return {.call = call, .rank = stream->job.group().rank(), .ranks = stream->job.group().ranks()};
}

} // namespace thalweg::streams

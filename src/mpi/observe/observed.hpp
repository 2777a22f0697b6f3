#pragma once

// Records one call of the program, from its entry to its exit, and keeps our depth raised in between.

#include <cstdint>

#include "mpi/call_site.hpp"
#include "mpi/communicators.hpp"
#include "mpi/datatypes.hpp"
#include "mpi/gate.hpp"
#include "mpi/observe/call_table.hpp"
#include "mpi/observe/ticks.hpp"
#include "mpi/runtime.hpp"

namespace thalweg::mpi {

namespace observe {

// Set by MPI_Pcontrol: nothing is recorded while it is off.
inline constinit bool recording = true;
inline constinit std::uint16_t phase = 0;

// Bounds of CallRow::brief and lengthy, in ticks.
inline constinit std::uint64_t brief_ticks = 2'000;
inline constinit std::uint64_t lengthy_ticks = 50'000;

std::uint64_t thread_cpu_ns();

class Stopwatch {
public:
  void start(CallRow& row, bool always) {
    const std::uint64_t call = row.calls++;
    timed_ = always || !row.brief || (call & 7) == 0;
    if (timed_) {
      if (row.lengthy || (row.timed_calls & 63) == 1) {
        cpu_ns_ = thread_cpu_ns();
      }
      start_ticks_ = ticks();
    }
  }

  void stop(CallRow& row) {
    if (timed_) {
      stop_ticks_ = ticks();
      const std::uint64_t taken = stop_ticks_ - start_ticks_;
      ++row.timed_calls;
      row.timed_ticks += taken;
      if (taken > row.longest_ticks) {
        row.longest_ticks = taken;
      }
      if (cpu_ns_ != 0) {
        row.sampled_ticks += taken;
        row.sampled_cpu_ns += thread_cpu_ns() - cpu_ns_;
      }
      row.brief = row.timed_calls >= 16 && row.timed_ticks < row.timed_calls * brief_ticks;
      row.lengthy = row.timed_ticks > row.timed_calls * lengthy_ticks;
    }
  }

  std::uint64_t start_ticks() const { return start_ticks_; }
  std::uint64_t stop_ticks() const { return stop_ticks_; }

private:
  bool timed_ = false;
  std::uint64_t cpu_ns_ = 0;
  std::uint64_t start_ticks_ = 0;
  std::uint64_t stop_ticks_ = 0;
};

} // namespace observe

class Observed {
public:
  // `bytes` is called for the payload's size, if it is wanted.
  template <class Bytes>
  Observed(Function function, const CallSite& site, MPI_Comm comm, Bytes bytes) {
    ++depth;
    if (!runtime.ready) [[unlikely]] {
      start_late();
    }
    if (observe::recording) [[likely]] {
      const CommunicatorState* communicator = find_communicator(comm);
      row_ = &observe::call_table().row(
          {site.return_address, function, observe::phase, communicator == nullptr ? 0 : communicator->size});
      row_->bytes += bytes();
      watch_.start(*row_, false);
    }
  }
  ~Observed() {
    if (row_ != nullptr) {
      watch_.stop(*row_);
    }
    --depth;
  }
  Observed(const Observed&) = delete;
  Observed& operator=(const Observed&) = delete;

private:
  observe::CallRow* row_ = nullptr;
  observe::Stopwatch watch_;
};

} // namespace thalweg::mpi

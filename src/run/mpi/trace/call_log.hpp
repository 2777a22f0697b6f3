// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The calls of this process in their order, by thread, with how long was computed between them
// (pattern/call_trace.hpp).

#include "mpi/comm/communicators.hpp"
#include "pattern/loop_folder.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace thalweg::mpi {

/// What a thread has called. Only its own thread writes it, but for its requests, which the log's mutex
/// guards.
struct ThreadLog {
  /// 50 MiB of items, where none are alike.
  static constexpr std::size_t items_max = std::size_t{1} << 19;

  pattern::LoopFolder folder{items_max};
  std::uint64_t left = 0;       ///< when it left MPI, by the log's clock; 0: it was never in it
  std::uint64_t computed = 0;   ///< outside of MPI since its last call that is kept
  std::vector<bool> requests;   ///< which numbers are taken
  std::int32_t taken_below = 0; ///< all below this one are
  bool is_cut = false;
};

class CallLog {
public:
  /// Begins: the calling thread computes from now on.
  void begin(bool by_cpu_time);
  bool is_cpu_time() const { return is_cpu_time_; }

  /// This thread enters MPI, and leaves it.
  void enter();
  void leave();
  /// What was computed since it left MPI is not to be counted: recording was off.
  void forget_computation();

  /// Appends a call of this thread.
  void append(const pattern::TracedCall& call);

  /// A number for a new request of this thread, which is taken until it is given back.
  std::int32_t take_request();
  void give_request_back(ThreadLog& thread, std::int32_t request);

  /// The number of a communicator among this rank's.
  std::uint32_t number_of(CommunicatorState& communicator);
  /// The rank of the world that a rank of it is; -1 where there is none.
  std::int32_t world_rank_of(std::uint32_t number, int rank) const;

  /// What the trace lacks, counted.
  void count_lack(const char* what);

  ThreadLog& thread_log();
  /// Everything; times become nanoseconds.
  pattern::TracedRank take(double ns_per_tick);
  std::vector<std::pair<std::string, std::uint64_t>> lacks() const;

private:
  std::uint64_t now() const;
  std::uint32_t number_of_call(const pattern::TracedCall& call);

  /// Calls that are not alike are kept in so many bytes.
  static constexpr std::size_t call_bytes_max = std::size_t{64} << 20;

  mutable std::mutex mutex_;
  bool is_cpu_time_ = false;
  std::uint64_t clock_cost_ = 0; ///< between two readings without anything between them
  std::vector<std::unique_ptr<ThreadLog>> threads_;
  pattern::TracedRank rank_;
  std::size_t call_bytes_ = 0;
  std::unordered_multimap<std::uint64_t, std::uint32_t> calls_; ///< by hash
  std::unordered_map<std::string, std::uint64_t> lacks_;
};

/// Never destroyed: calls are made while the process ends.
CallLog& call_log();

} // namespace thalweg::mpi

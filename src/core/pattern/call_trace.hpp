// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a run of a program called, rank by rank and in order, and the file that it is kept in.
//
//     thalweg-trace 1
//     ranks 2
//     seconds 1.25                      that the run took, from the beginning of MPI to its end
//     command ./app -n 100
//     computation wall                  how computation was measured: wall, or cpu
//     lacks 12 one-sided calls          what the program did besides
//     rank 0
//     communicator 0 1f 0 1             number, what its ranks know it by, ranks of the world
//     thread                            a thread's calls follow
//     loop 100                          up to its end, a hundred times
//       250 send 0 1 7 8192             nanoseconds computed before; communicator, to, tag, bytes
//       0 ireceive 0 0 1 any            request, communicator, from, tag
//       12000 isend 1 0 1 7 64          request, then as send; ssend and issend wait for the receiver
//       0 wait 0:1:9 1                  requests; of those for any message, whose it was and its tag
//       80 collective 0 allreduce 8 0 native       communicator, call, bytes of a unit, root, what ran it
//       0 iremote 3 0 1 64 8              request, communicator, whose memory, bytes written to it and read
//       80 icollective 2 0 alltoallv 0 0 native to 0,64 from 0,8      request; bytes by rank
//     end
//     cut                               the thread's later calls were not recorded
//     end of trace
//
// Words are separated by blanks. Requests are numbered by thread, with the lowest number that is free. A time
// is the mean of all that a line stands for.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg::pattern {

/// As a request: the call waits by itself.
inline constexpr std::int32_t no_request = -1;
/// As a receive's peer or tag: whichever.
inline constexpr std::int32_t any_message = -1;

enum class TracedKind : std::uint8_t { send, receive, wait, collective, remote };

/// A request that is over.
struct Completed {
  static constexpr std::int32_t as_asked = -2;
  static constexpr std::int32_t canceled = -3;

  std::int32_t request = 0;
  std::int32_t source = as_asked; ///< rank of the world, where the receive was for any message; or canceled
  std::int32_t tag = as_asked;

  bool operator==(const Completed&) const = default;
};

/// A call, but for how long its thread computed before.
struct TracedCall {
  TracedKind kind = TracedKind::wait;
  bool is_synchronous = false; ///< of sends: over when the message has been received
  std::int32_t request = no_request;
  std::uint32_t communicator = 0;  ///< by the rank's own numbers
  std::int32_t peer = 0;           ///< rank of the world; of a collective the root, a rank of its own
  std::int32_t tag = 0;            ///< of messages
  std::uint64_t bytes = 0;         ///< of a send; of a unit of a collective's buffers; written one-sidedly
  std::uint64_t read = 0;          ///< one-sidedly
  std::string operation = {};      ///< a collective's call, by the name that selections use
  std::string implementation = {}; ///< what ran it: a strategy with its parameters, or native
  std::vector<Completed> completed = {};
  std::vector<std::uint64_t> sent = {};     ///< of collectives with blocks of their own: bytes to each rank
  std::vector<std::uint64_t> received = {}; ///< and from each

  bool operator==(const TracedCall&) const = default;
};

/// A call, or a loop.
struct TraceItem {
  std::uint64_t hash = 0;     ///< of what it stands for, but for times
  std::uint32_t call = 0;     ///< of the rank's calls
  std::uint32_t repeats = 0;  ///< of the body; 0: it is a call
  std::uint64_t computed = 0; ///< before the call: nanoseconds in the mean (while it is recorded: the sum)
  std::vector<TraceItem> body = {};
};

struct TracedThread {
  std::vector<TraceItem> items;
  bool is_cut = false; ///< later calls were not recorded
};

struct TracedCommunicator {
  std::uint64_t id = 0;              ///< the same on all its ranks
  std::vector<std::int32_t> members; ///< ranks of the world
};

struct TracedRank {
  std::vector<TracedCommunicator> communicators;
  std::vector<TracedCall> calls; ///< those that differ
  std::vector<TracedThread> threads;
};

struct CallTrace {
  double seconds = 0;
  std::string command;
  bool is_cpu_time = false; ///< computation is the processor's time; else the clock's
  std::vector<std::string> lacks;
  std::vector<TracedRank> ranks;

  bool is_cut() const;
};

/// Visits the item of each call in order, those of loops as often as they stand for.
template <typename Visit>
void for_each_call(const std::vector<TraceItem>& items, const Visit& visit) {
  for (const TraceItem& item : items) {
    if (item.repeats == 0)
      visit(item);
    for (std::uint32_t round = 0; round < item.repeats; ++round)
      for_each_call(item.body, visit);
  }
}

/// How many calls the items stand for; at most 2^62.
std::uint64_t calls_of(const std::vector<TraceItem>& items);
/// How long was computed before them, in nanoseconds.
double computed_in(const std::vector<TraceItem>& items);

inline constexpr std::string_view trace_first_line = "thalweg-trace 1";
inline constexpr std::string_view trace_last_line = "end of trace";

/// The lines of a rank; the file is those of all ranks, in their order, between its head and its last line.
std::string text_of_rank(std::size_t rank, const TracedRank& traced);
/// What comes before the first rank, of so many.
std::string head_of(const CallTrace& trace, std::size_t ranks);
std::string to_text(const CallTrace& trace);

/// Reads it; `name` is for errors. Throws Error naming the line for what is no such text, what ends too
/// early, and for ranks, communicators and calls that there are none of.
CallTrace parse_call_trace(std::string_view text, const std::string& name);

/// As parse_call_trace(), of a file. Throws Error where it cannot be read.
CallTrace load_call_trace(const std::string& file);

} // namespace thalweg::pattern

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The timeline's events of a rank, in memory of bounded size that outlives it: `thalweg run` makes the
// memory, each rank of its host takes a section of it, and the command writes the timeline from the sections,
// however the job ends. Elsewhere a rank's section is in a file of its own in a folder beside the timeline,
// which is gone when its events are gathered; or its own, where that folder cannot be written. Where all
// blocks of a section are full, the oldest one is written anew.
//
// A section is a head, definitions (lines of JSON: calls, communicators, texts), and blocks of events. A
// block belongs to one thread at a time, so that nothing is locked but when a block is full.
// python/thalweg/timeline/events.py reads it all.

#include "mpi/observe/ticks.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg::mpi::timeline {

enum class EventKind : std::uint8_t { none, call, collective, meeting, send, receive, completion };

/// Times are ticks. Fields that a kind has no use for are zero.
struct Event {
  std::uint64_t begin; ///< of a completion: when its request began
  std::uint64_t end;   ///< 0 of a message: its request's completion says
  std::uint64_t bytes : 56;
  std::uint64_t kind : 8;     ///< EventKind
  std::uint32_t call;         ///< a definition's number
  std::uint32_t communicator; ///< likewise
  std::int32_t peer;          ///< rank of the world: of a message, or a collective's root in its communicator
  std::int32_t tag;           ///< of a message; of a collective, the number of its strategy's text
  std::uint32_t request;      ///< what it began, or was completed; 0: none
  std::uint32_t sequence;     ///< of a collective on its communicator, from 1
};
static_assert(sizeof(Event) == 48);

struct Block {
  static constexpr std::size_t size = std::size_t{64} << 10U;
  static constexpr std::size_t events_max = (size - 64) / sizeof(Event);

  std::uint64_t number; ///< of the blocks in the order in which they were begun, from 1
  std::uint32_t thread;
  std::atomic<std::uint32_t> used;
  char padding[48];
  Event events[events_max];
};
static_assert(sizeof(Block) == Block::size);

/// A call that a thread is in.
struct OpenCall {
  std::atomic<std::uint64_t> begin; ///< 0: in none
  std::uint32_t call;
  std::uint32_t padding;
};

enum class SectionState : std::uint32_t { empty, running, gathered };

/// The beginning of a section.
struct Head {
  static constexpr char right_magic[24] = "thalweg-timeline-1";
  static constexpr std::uint32_t open_calls_max = 64;

  char magic[24];
  std::atomic<SectionState> state;
  std::int32_t rank;
  std::int32_t ranks; ///< of the job
  std::int32_t node;
  std::int32_t pid;
  std::uint32_t blocks;          ///< that there is room for
  std::uint64_t definition_room; ///< bytes behind the head
  std::atomic<std::uint64_t> definition_bytes;
  std::uint64_t start_ticks; ///< two readings of both clocks; nanoseconds of CLOCK_MONOTONIC
  std::uint64_t start_ns;
  std::uint64_t latest_ticks;
  std::uint64_t latest_ns;
  double offset_ns; ///< how far the clock is behind that of rank 0's node
  std::uint64_t lost_events;
  std::uint64_t lost_until; ///< ticks: from then on all events are there
  char host[256];
  OpenCall open[open_calls_max];
};

inline constexpr std::size_t page_bytes = 4096;
static_assert(sizeof(Head) <= page_bytes);

/// The beginning of the memory of a host. Sections lie behind its page.
struct MemoryFile {
  static constexpr char right_magic[24] = "thalweg-events-1";
  char magic[24];
  std::atomic<std::uint32_t> sections; ///< taken so far
  std::uint32_t padding;
  std::uint64_t section_bytes;
};

/// Of a thread; what it holds is given back when it ends.
struct Writer {
  Block* block = nullptr;
  std::uint32_t thread = 0;
  bool has_thread = false;

  ~Writer();
};

struct CallDefinition {
  std::string_view function;
  std::string_view module; ///< observe::Location
  std::uint64_t address = 0;
  std::string_view python_function;
  int phase = 0;
  bool is_own = false; ///< of one of the libraries that programs link
};

class EventMemory {
public:
  static constexpr std::size_t bytes_min = std::size_t{1} << 20U;

  /// Takes a section of the memory whose path it is. Where that is null, or leads to no memory of ours, the
  /// section of so many bytes is in a file in the folder, or the rank's own. False without memory.
  bool open(const char* path, const std::string& folder, std::size_t bytes);
  /// Takes the file in the folder away: its events are elsewhere now.
  void remove_file();
  Head* head() { return head_; }

  /// Appends an event of this thread.
  void append(const Event& event);
  /// This thread enters a call that is in no other, and leaves it.
  void enter(std::uint64_t ticks);
  void name_open_call(std::uint32_t call);
  void leave(std::uint64_t ticks);

  /// Numbers of definitions, each kind from 1; what there is no room for is counted all the same.
  std::uint32_t define_call(const CallDefinition& call);
  std::uint32_t define_communicator(std::uint64_t id, std::span<const int> members, bool is_world);
  std::uint32_t define_text(std::string_view text);

  /// Parts of the section that hold something, in their order: what is sent to rank 0.
  std::vector<std::span<const std::uint8_t>> parts() const;

  /// Of a thread that has ended.
  void give_back(Writer& writer);

private:
  bool take_section(int file);
  bool make_file(const std::string& folder, std::size_t bytes);
  bool has_room_for(const Block& block);
  Writer& own_writer();
  bool begin_block(Writer& writer);
  Block* oldest_block();
  void define(std::string line);
  void read_clocks(std::uint64_t now);
  Block* block_at(std::uint32_t number) const;

  std::mutex mutex_;
  Head* head_ = nullptr;
  int file_ = -1;         ///< the memory's; -1: the section is the rank's own
  std::string file_path_; ///< of a file with a name
  std::uint64_t offset_ = 0;
  std::uint32_t begun_ = 0; ///< of the section's blocks
  std::uint64_t numbers_ = 0;
  std::deque<Block*> full_; ///< the oldest first
  std::vector<std::uint32_t> spare_threads_;
  std::uint32_t threads_ = 0;
  std::uint32_t calls_ = 0;
  std::uint32_t communicators_ = 0;
  std::uint32_t texts_ = 0;
};

/// The process's.
EventMemory& event_memory();

} // namespace thalweg::mpi::timeline

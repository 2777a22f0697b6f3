// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What this process's MPI calls cost, by call site, function, communicator size and phase. Each thread writes
// a table of its own; they are added up at the end.
//
// Time is taken of every call of a site, except that sites whose calls are short (under two microseconds in
// the mean, after the first 16) are timed one call in 32, and their time is scaled up. CPU time of the
// thread is read around calls that are drawn, once in about a millisecond in a site's calls; their ratio of
// CPU time to time is taken for all (cpu_share.hpp).

#include <cstdint>
#include <memory>
#include <vector>

#include "mpi/observe/cpu_share.hpp"
#include "mpi/observe/journal.hpp"

namespace thalweg::mpi::observe {

struct CallKey {
  const void* site = nullptr;
  std::uint16_t function = 0; // the family's Function
  std::uint16_t phase = 0;
  std::int32_t ranks = 0; // of the communicator; 0 where the function has none

  bool operator==(const CallKey&) const = default;
};

// Calls that ended the same way. Texts are compared by address: they live as long as the process.
struct Ending {
  const char* strategy;
  const char* reason; // why it was passed on to the library, or nullptr
  std::uint64_t calls;
  const char* kept_strategy; // in the journal, null where there is none
  const char* kept_reason;
};

class TrafficTable;
struct TrafficEntry;

struct CallRow : JournalRow {
  CallKey key;
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0; // to other ranks that are not empty, of alltoallv
  std::uint64_t timed_calls = 0;
  std::uint64_t timed_ticks = 0;
  std::uint64_t max_call_ticks = 0;
  CpuShare cpu_share;
  std::uint64_t entered_ticks = 0; // of the timed call that is under way; 0: none is
  bool brief = false;
  TrafficTable* traffic = nullptr;     // of the row's thread, once the call site has sent
  TrafficEntry* latest_sent = nullptr; // of a message of the program's own; the next one is often alike
  std::vector<Ending, JournalAllocator<Ending>> endings;
  // For who reads the journal: the site as a place in a file.
  const char* module = nullptr;
  std::uint64_t address = 0;
  const char* function = nullptr; // of a place in Python

  static constexpr std::uint64_t calls_per_timed = 32; // of brief ones
  bool is_to_be_timed() const { return !brief || calls % calls_per_timed == 0; }

  void ended(const char* strategy, const char* reason) {
    if (!endings.empty() && endings.front().strategy == strategy && endings.front().reason == reason)
        [[likely]] {
      ++endings.front().calls;
    } else {
      ended_differently(strategy, reason);
    }
  }

private:
  void ended_differently(const char* strategy, const char* reason);
};

// Rows lie in the journal, where there is one.
struct CallRowDeleter {
  void operator()(CallRow* row) const;
};
using OwnedCallRow = std::unique_ptr<CallRow, CallRowDeleter>;

class CallTable {
public:
  CallTable();

  CallRow& row(const CallKey& key) {
    const std::size_t slot = slot_of(key);
    CallRow* row = slots_[slot];
    if (row != nullptr && row->key == key) [[likely]] {
      return *row;
    }
    return find(key, slot);
  }

  const std::vector<OwnedCallRow>& rows() const { return rows_; }

private:
  std::size_t slot_of(const CallKey& key) const {
    std::uint64_t hash = reinterpret_cast<std::uint64_t>(key.site) ^ static_cast<std::uint64_t>(key.function)
                                                                         << 48U;
    hash ^= static_cast<std::uint64_t>(static_cast<std::uint32_t>(key.ranks)) << 20U;
    hash = (hash ^ static_cast<std::uint64_t>(key.phase) << 40U) * 0x9E3779B97F4A7C15U;
    return static_cast<std::size_t>(hash >> shift_);
  }
  CallRow& find(const CallKey& key, std::size_t slot);
  void grow();

  unsigned shift_ = 64 - 8;
  std::vector<CallRow*> slots_;
  std::vector<OwnedCallRow> rows_;
};

inline constinit thread_local CallTable* own_call_table = nullptr;
CallTable& make_call_table();

// This thread's table; made at its first call and kept after the thread's end.
inline CallTable& call_table() {
  return own_call_table != nullptr ? *own_call_table : make_call_table();
}

// Every thread's, for the thread that ends MPI.
std::vector<const CallTable*> all_call_tables();

} // namespace thalweg::mpi::observe

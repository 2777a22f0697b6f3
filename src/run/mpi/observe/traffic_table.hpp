// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Whom this process sends how much, by call site and phase of the recorded pattern. Each thread writes a
// table of its own, as with calls (call_table.hpp); they are added up at the end.

#include "mpi/observe/call_table.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace thalweg::mpi::observe {

/// The phases that a recorded pattern is divided into: one for each level that the program gives
/// MPI_Pcontrol, and the first one before that.
struct PatternPhase {
  int level = 1; ///< of MPI_Pcontrol
  std::uint64_t repeats = 1;
};

inline constinit std::uint32_t pattern_phase = 0; ///< the one under way, in all_pattern_phases()

/// Begins the phase of that level once more. By the thread that calls MPI_Pcontrol; others see it when they
/// see it.
void begin_pattern_phase(int level);

std::vector<PatternPhase>& all_pattern_phases();

struct TrafficKey {
  const CallRow* row = nullptr; ///< the call site
  const char* by = nullptr;     ///< pattern::Site::by; compared by address, lives as long as the process
  std::int32_t peer = -1;       ///< rank in the world
  std::uint32_t phase = 0;      ///< of pattern_phases()

  bool operator==(const TrafficKey&) const = default;
};

/// TrafficKey::by of what no collective sent: the program's own messages, and what this process reads from a
/// peer, which sends it.
inline constexpr const char* by_call = "call";
inline constexpr const char* by_read = "read";

struct TrafficEntry {
  TrafficKey key;
  std::uint64_t bytes = 0;
  std::uint64_t messages = 0;

  void add(std::uint64_t more_bytes, std::uint64_t more_messages) {
    bytes += more_bytes;
    messages += more_messages;
  }
};

/// What one call of a kind sends to a rank of the world.
struct PeerTraffic {
  std::int32_t peer = -1;
  std::uint64_t bytes = 0;
  std::uint64_t messages = 0;
};

/// Looked up for each message, so a look is one probe and no more: slots point to entries, which stay where
/// they are, and free slots to one whose key nobody has.
class TrafficTable {
public:
  TrafficTable();

  void add(const TrafficKey& key, std::uint64_t bytes, std::uint64_t messages) {
    entry_of(key).add(bytes, messages);
  }
  /// It stays where it is.
  TrafficEntry& entry_of(const TrafficKey& key) {
    TrafficEntry& known = *slots_[slot_of(key)];
    if (known.key == key) [[likely]]
      return known;
    return find(key);
  }
  const std::deque<TrafficEntry>& entries() const { return entries_; }

private:
  std::size_t slot_of(const TrafficKey& key) const {
    const std::uint64_t words = reinterpret_cast<std::uint64_t>(key.row) +
                                (static_cast<std::uint64_t>(static_cast<std::uint32_t>(key.peer)) << 32U) +
                                key.phase * 0x51ED27U;
    return static_cast<std::size_t>((words * 0x9E3779B97F4A7C15U) >> shift_);
  }
  TrafficEntry& find(const TrafficKey& key);
  void grow();

  unsigned shift_ = 64 - 8;
  std::vector<TrafficEntry*> slots_;
  std::deque<TrafficEntry> entries_;
};

/// This thread's table; made at its first message and kept after the thread's end.
TrafficTable& traffic_table();

/// Every thread's, for the thread that ends MPI.
std::vector<const TrafficTable*> all_traffic_tables();

} // namespace thalweg::mpi::observe

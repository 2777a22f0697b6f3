#pragma once

// The fast path from an entry point, where a run makes no report and does not learn: calls that are known to
// be the library's own business, as the tuning file says so or nothing was chosen for them, and repetitions
// of calls that our engine made. The entry points look for them before anything else, as the shortest calls
// take no longer than a few such looks.

#include <array>
#include <atomic>
#include <cstdint>

#include "mpi/call/call_signature.hpp"
#include "mpi/state/call_epoch.hpp"
#include "mpi/wait/progress.hpp"

namespace thalweg::mpi {

class RecentCall;

struct FastPathEntry {
  CallSignature signature;
  std::uint32_t epoch = 0;
  RecentCall* repeated = nullptr; // null: the library's own
};

// The last such call of each function that has a slot here (FunctionInfo::fast_path_slot).
inline constinit thread_local std::array<FastPathEntry, fast_path_functions> fast_path_cache{};

inline const FastPathEntry* find_on_fast_path(std::size_t slot, const CallSignature& signature) {
  const FastPathEntry& entry = fast_path_cache[slot];
  const bool is_valid = entry.signature == signature &&
                        entry.epoch == call_epoch.load(std::memory_order_relaxed) &&
                        executions_in_flight.load(std::memory_order_relaxed) == 0;
  return is_valid ? &entry : nullptr;
}

// Until something changes, calls like this one are passed on, or repeat what is remembered of it if that is
// given.
void cache_on_fast_path(const CollectiveCall& call, RecentCall* remembered);

} // namespace thalweg::mpi

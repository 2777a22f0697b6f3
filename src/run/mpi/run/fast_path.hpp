// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The fast path from an entry point: calls that are known to be the library's own business, as the tuning
// file says so or nothing was chosen for them, and repetitions of calls that our engine made. The entry
// points look for them before anything else, as the shortest calls take no longer than a few such looks.
// What is not reported, on the buffers of last time, is found without a frame on the stack.
//
// What a call leaves behind is kept up here too: learning counts the calls of its round, which ends on all
// ranks with the same call, and the report counts calls and bytes. Calls that are to be timed have a frame,
// and calls that are to be measured go the long way.

#include "base/of_process.hpp"
#include "mpi/call/collective_call.hpp"
#include "mpi/call/gpu_memory.hpp"
#include "mpi/comm/communicators.hpp"
#include "mpi/observe/call_table.hpp"
#include "mpi/state/process_state.hpp"
#include "mpi/wait/polling.hpp"

#include <array>
#include <atomic>
#include <cstdint>

namespace thalweg::mpi {

class RecentCall;

/// What the report notes of a call.
struct Note {
  observe::CallRow* row = nullptr; ///< null: nothing
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
  const char* implementation = nullptr;
  const char* reason = nullptr;
  std::uint64_t* recorded = nullptr;  ///< counts the calls for the recorded pattern; null where there is none
  observe::SizeCount* size = nullptr; ///< counts payloads like the call's
  const void* return_address = nullptr; ///< of the place that the row is of; null behind language bindings

  /// A place of the program's, and its row.
  void is_now_of(const CallSite& site, observe::CallRow& its_row) {
    row = &its_row;
    size = &its_row.counts.size_of(bytes);
    return_address = observe::is_own_caller(site) ? site.return_address : nullptr;
  }
};

struct FastPathEntry {
  CallSignature signature;
  std::uint64_t passage = 0;      ///< as it was; no word of a time when calls come here
  RecentCall* repeated = nullptr; ///< null: the library's own
  CommunicatorState* communicator = nullptr;
  std::uint32_t* calls_left = nullptr; ///< see Decision
  Note note;
  ArraySides sides;              ///< of the library's own
  std::uint64_t arrays_hash = 0; ///< of what is on them
  HostBuffers buffers;           ///< of what is repeated

  bool has_calls_left() const { return calls_left == nullptr || *calls_left > 0; }
  bool is_reported() const { return note.row != nullptr; }
  /// Does the report count the call at the most? From the place of the one before.
  template <Mode mode>
  [[gnu::always_inline]] bool is_only_counted(const void* return_address) const {
    return !is_reported() || (note.return_address == return_address && !is_to_be_timed<mode>() &&
                              note.row->ended_before(note.implementation, note.reason));
  }
  /// Whether the note is of the place. Calls from several take turns, as in a loop that has been unrolled.
  bool is_of(const CallSite& site) {
    if (!is_reported())
      return true;
    const observe::CallKey& key = note.row->key;
    if (const void* const caller = observe::program_site(site); caller != key.site) {
      if (note.recorded != nullptr) // of the other place
        return false;
      note.is_now_of(site, observe::call_table().row({caller, key.function, key.phase, key.ranks}));
    }
    return true;
  }
  template <Mode mode>
  [[gnu::always_inline]] bool is_to_be_timed() const {
    if (!is_reported())
      return false;
    return note.row->is_to_be_timed() || (mode == Mode::blocking && is_to_be_sampled());
  }
  /// A call of the library's, from such a place.
  bool may_be_timed(const CallSite& site) { return is_reported() && repeated == nullptr && is_of(site); }
  bool is_to_be_sampled() const {
    return communicator->size > 1 && communicator->samples.wants(communicator->blocking_calls);
  }
  /// Has the call these counts and displacements? For the library as far as a hash tells: it is given its
  /// own.
  bool has_arrays(const CallArrays& arrays) const;
  /// The call is made, and not timed.
  template <Mode mode>
  [[gnu::always_inline]] void count() const {
    count_for_ranks<mode>();
    if (is_reported()) {
      note.row->count();
      count_in_report();
    }
  }
  /// The same of a call that is only counted.
  template <Mode mode>
  [[gnu::always_inline]] void count_alone() const {
    count_for_ranks<mode>();
    if (is_reported()) {
      note.row->count();
      count_payload();
      note.row->ended_as_before();
    }
  }
  /// What the ranks of the communicator count alike.
  template <Mode mode>
  void count_for_ranks() const {
    if (calls_left != nullptr)
      --*calls_left;
    if constexpr (mode == Mode::blocking)
      ++communicator->blocking_calls;
  }
  /// All but the call itself.
  void count_in_report() const {
    count_payload();
    note.row->ended(note.implementation, note.reason);
  }

private:
  void count_payload() const {
    note.size->add(note.bytes);
    note.row->blocks += note.blocks;
    if (note.recorded != nullptr)
      ++*note.recorded;
  }
};

/// Some calls of each function that has a slot here (FunctionInfo::fast_path_slot): those of a loop over a
/// few roots or sizes, or over the exchanges of a transform in three dimensions.
inline constexpr unsigned fast_path_bits = 3;
inline constexpr std::size_t fast_path_places = std::size_t{1} << fast_path_bits;
using FastPathCache = std::array<FastPathEntry, fast_path_functions * fast_path_places>;

[[gnu::always_inline]] inline std::size_t fast_path_place(std::size_t slot, MPI_Count count, int root) {
  return slot * fast_path_places + place_of(count, root, fast_path_bits);
}

/// `count`: of elements received, or count_of_rows(). `is_same(signature)`: by the arguments that the
/// function has.
template <typename IsSame>
[[gnu::always_inline]] inline FastPathEntry* find_on_fast_path(std::size_t slot, MPI_Count count, int root,
                                                               IsSame is_same) {
  const FastPathEntry& entry = PerThread<FastPathCache>::here()[fast_path_place(slot, count, root)];
  const bool is_known =
      entry.passage == process.passage.now() && is_same(entry.signature) && entry.has_calls_left();
  return is_known ? const_cast<FastPathEntry*>(&entry) : nullptr;
}

/// Until something changes, or no calls are left, calls like this one are passed on, or repeat what is
/// remembered of it if that is given.
void cache_on_fast_path(const CollectiveCall& call, CommunicatorState& communicator, RecentCall* remembered,
                        std::uint32_t* calls_left, const Note& note);

} // namespace thalweg::mpi

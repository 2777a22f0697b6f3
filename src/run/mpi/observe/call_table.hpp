// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What this process's MPI calls cost, by call site, function, communicator size and phase. Each thread writes
// a table of its own; they are added up at the end.
//
// Calls are counted one by one. Time is taken of every call of a site, with two exceptions. Where its latest
// calls were short (under two microseconds in the mean, after the first 16), about one call in 32 is timed,
// and stands for those before it that were not; a long one among them has all calls timed again for a while.
// Where a site has made 2048 others in a row, one in eight is timed from there on: ranks that share cores
// find nothing in their caches of what timing needs, so that it takes half a microsecond. CPU time of the
// thread is read around calls that are drawn, once in about a millisecond in a site's calls; their ratio of
// CPU time to time is taken for all (CpuShare).

#include "base/assertion.hpp"
#include "base/of_process.hpp"
#include "base/random.hpp"
#include "mpi/observe/histograms.hpp"
#include "mpi/observe/journal.hpp"
#include "mpi/observe/locations.hpp"
#include "mpi/observe/slices.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace thalweg::mpi::observe {

/// Which part of the time in a row's calls their threads were on a core. To read a thread's CPU clock is a
/// system call of up to a microsecond, so it is read around some calls only. Each call is drawn with a
/// probability that the calls before it decided, and it stands for as many as that says. So sums are
/// unbiased, however calls differ.
class CpuShare {
public:
  /// Is the CPU clock to be read around the timed call of that number? The seed keeps rows and ranks apart.
  bool wants(std::uint64_t call, std::uint64_t seed) const {
    return (mixed_hash(mixed_hash(0, seed), call) & (weight_ - 1)) == 0;
  }

  /// A call that was drawn took so long, and so much of the thread's CPU time. It was timed for `calls`.
  void add(std::uint64_t ticks, std::uint64_t cpu_ns, std::uint64_t calls) {
    ticks_ += weight_ * calls * ticks;
    cpu_ns_ += weight_ * calls * cpu_ns;
  }

  /// After each timed call, which took so long: from now on calls are drawn about once in `period` ticks of
  /// the row's. One call in `calls_per_timed` is timed.
  void set_rate(std::uint64_t ticks, std::uint64_t calls_per_timed, std::uint64_t period) {
    THALWEG_ASSERT(normal, calls_per_timed > 0 && std::has_single_bit(weight_));
    recent_ticks_ += ticks;
    ++recent_calls_;
    if (ticks < period && recent_calls_ % calls_of_rate != 0 && recent_calls_ != 1) [[likely]]
      return;
    const std::uint64_t between = recent_ticks_ / recent_calls_ * calls_per_timed;
    weight_ = std::bit_floor(std::clamp<std::uint64_t>(period / (between + 1), 1, max_weight));
    if (recent_calls_ >= recent_calls) { // calls may be others than they were
      recent_ticks_ /= 2;
      recent_calls_ /= 2;
    }
  }

  /// What a thread in these calls has of a core, at most all of it; 0 where no call was drawn that took any
  /// time.
  double share(double ns_per_tick) const {
    const double ns = static_cast<double>(ticks_) * ns_per_tick;
    return ns > 0 ? std::min(static_cast<double>(cpu_ns_) / ns, 1.0) : 0.0;
  }

private:
  static constexpr std::uint64_t max_weight = std::uint64_t{1} << 16U;
  static constexpr std::uint64_t calls_of_rate = 16; ///< after so many the rate is looked at
  static constexpr std::uint64_t recent_calls = 512;

  std::uint64_t weight_ = 1; ///< a power of two: one call in so many is drawn
  std::uint64_t ticks_ = 0;  ///< of the calls that those drawn stand for
  std::uint64_t cpu_ns_ = 0;
  std::uint64_t recent_ticks_ = 0;
  std::uint64_t recent_calls_ = 0;
};

/// The program's own call behind a language binding.
///
/// Fortran and C++ bindings call MPI's C functions from inside their libraries, so the return address of such
/// a call is the same for the whole program. The frame of the binding is of the same size each time, hence
/// the program's return address lies at the same distance from our frame each time: it is found once by
/// unwinding, and read afterwards. Behind Python's binding, mpi4py, an instruction of the interpreter's
/// stands for the place (locations.hpp).
struct CachedCaller {
  const void* return_address = nullptr;
  std::ptrdiff_t distance = 0; ///< from our frame to where the program's return address is; 0: it is ours
  static constexpr std::ptrdiff_t in_python = std::numeric_limits<std::ptrdiff_t>::min();

  const void* program_site(const CallSite& site) const;
};

/// Two places that a return address may be in, for programs call from many: to find a caller takes as long as
/// a short call.
inline constexpr unsigned cached_callers_bits = 7;
using CachedCallers = std::array<CachedCaller, std::size_t{2} << cached_callers_bits>;

CachedCaller find_caller(const CallSite& site);
/// The caller is put into the first of its places.
const CachedCaller* remember_caller(const CallSite& site, std::size_t place);

inline const void* CachedCaller::program_site(const CallSite& site) const {
  if (distance == 0) [[likely]]
    return return_address;
  if (distance != in_python)
    return *reinterpret_cast<const void* const*>(site.frame + distance);
  const void* const instruction = python_instruction();
  return instruction == nullptr ? return_address : instruction;
}

inline const CachedCaller& known_caller(const CallSite& site) {
  const auto bits = reinterpret_cast<std::uintptr_t>(site.return_address) * 0x9E3779B97F4A7C15U;
  const std::size_t place = (bits >> (64U - cached_callers_bits)) * 2;
  const CachedCaller* const places = &PerThread<CachedCallers>::here()[place];
  const CachedCaller* known = places;
  if (known->return_address != site.return_address) [[unlikely]] {
    known = &places[1];
    if (known->return_address != site.return_address)
      known = remember_caller(site, place);
  }
  return *known;
}

inline const void* program_site(const CallSite& site) {
  return known_caller(site).program_site(site);
}

/// Does the return address stand for the place in the program, with no language binding between?
inline bool is_own_caller(const CallSite& site) {
  return known_caller(site).distance == 0;
}

struct CallKey {
  const void* site = nullptr;
  std::uint16_t function = 0; ///< the family's Function
  std::uint16_t phase = 0;
  std::int32_t ranks = 0; ///< of the communicator; 0 where the function has none

  bool operator==(const CallKey&) const = default;
};

/// Calls that ended the same way. Texts are compared by address: they live as long as the process.
struct Ending {
  const char* strategy;
  const char* reason; ///< why it was passed on to the library, or nullptr
  std::uint64_t calls;
  const char* kept_strategy; ///< in the journal, null where there is none
  const char* kept_reason;
};

class TrafficTable;
struct TrafficEntry;

struct CallRow : JournalRow {
  CallKey key;
  std::uint64_t calls = 0;
  std::uint32_t untimed_left = 0; ///< so many calls are only counted before the next one is timed
  bool brief = false;
  bool meets = false;       ///< the waiting in its calls is known from samples
  std::uint64_t blocks = 0; ///< to other ranks that are not empty, of alltoallv
  std::uint64_t timed_calls = 0;
  std::uint64_t frequent_left = calls_before_frequent; ///< so many that are not brief
  std::uint64_t max_call_ticks = 0;
  std::uint64_t counted_calls = 0; ///< that the timed ones stand for
  std::uint64_t stood_ticks = 0;   ///< of all these
  std::uint64_t recent_ticks = 0;  ///< what a call takes of late, times `recent_calls`
  CpuShare cpu_share;
  std::uint64_t entered_ticks = 0;   ///< when the latest timed call began
  std::uint64_t left_ticks = 0;      ///< when one ended; before the above: one is under way
  std::uint32_t timeline_number = 0; ///< of the call in the timeline (mpi/timeline); 0: none yet
  SliceTable* slices = nullptr;      ///< of the row's thread
  std::uint64_t followed = 0;        ///< nonblocking operations that were followed to their end
  std::uint64_t in_flight_ticks = 0;
  std::uint64_t exposed_ticks = 0;     ///< the part of that inside of MPI
  TrafficTable* traffic = nullptr;     ///< of the row's thread, once the call site has sent
  TrafficEntry* latest_sent = nullptr; ///< of a message of the program's own; the next one is often alike
  std::vector<Ending, JournalAllocator<Ending>> endings;
  /// For who reads the journal: the site as a place in a file.
  const char* module = nullptr;
  std::uint64_t address = 0;
  const char* function = nullptr; ///< of a place in Python
  CallCounts counts;

  static constexpr std::uint64_t calls_per_timed = 32; ///< of brief ones, in the mean
  static constexpr std::uint64_t frequent_calls_per_timed = 8;
  static constexpr std::uint64_t calls_before_frequent = 2048;
  static constexpr std::uint64_t recent_calls = 16;
  bool is_to_be_timed() const { return untimed_left == 0; }
  std::uint64_t calls_for_each_timed() const {
    return brief ? calls_per_timed : frequent_left == 0 ? frequent_calls_per_timed : 1;
  }
  /// A call that is not timed.
  void count() {
    THALWEG_ASSERT(normal, untimed_left > 0);
    --untimed_left;
    ++calls;
  }

  /// A call that was timed. It stands for those before it that were not.
  void took(std::uint64_t start_ticks, std::uint64_t stop_ticks);
  /// What all calls took that have ended. Calls are timed whatever they take, so that those which are timed
  /// add up to the right sum in the mean. The standard error is at most the root of the sum of 32 squares of
  /// what those took that might not have been.
  double all_ticks() const;
  /// Did the call before end so?
  bool ended_before(const char* strategy, const char* reason) const {
    return !endings.empty() && endings.front().strategy == strategy && endings.front().reason == reason;
  }
  void ended_as_before() { ++endings.front().calls; }
  void ended(const char* strategy, const char* reason) {
    if (ended_before(strategy, reason)) [[likely]] {
      ended_as_before();
    } else {
      ended_differently(strategy, reason);
    }
  }

private:
  void ended_differently(const char* strategy, const char* reason);
};

/// Rows lie in the journal, where there is one.
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
  /// Null before the first call.
  const SliceTable* slices() const { return slices_.get(); }

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
  std::unique_ptr<SliceTable, SliceTableDeleter> slices_; ///< with the first row
};

inline constinit thread_local CallTable* own_call_table = nullptr;
CallTable& make_call_table();

/// This thread's table; made at its first call and kept after the thread's end.
inline CallTable& call_table() {
  return own_call_table != nullptr ? *own_call_table : make_call_table();
}

/// Every thread's, for the thread that ends MPI.
std::vector<const CallTable*> all_call_tables();

} // namespace thalweg::mpi::observe

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the generated entry points need.

#include "base/random.hpp"
#include "handlers.hpp"
#include "mpi/comm/communicators.hpp"
#include "mpi/entry/call_observer.hpp"
#include "mpi/entry/collective_runner.hpp"
#include "mpi/entry/counted_calls.hpp"
#include "mpi/place/topologies.hpp"
#include "mpi/run/fast_path.hpp"
#include "mpi/state/gate.hpp"
#include "mpi/wait/polling.hpp"

#define THALWEG_ENTRY extern "C" __attribute__((visibility("default")))

// Both builtins speak of the function they stand in, so this cannot be one itself.
#define THALWEG_SITE (CallSite{__builtin_return_address(0), static_cast<const char*>(__builtin_dwarf_cfa())})

namespace thalweg::mpi {

/// Makes a collective call of the program: on our engine when it takes it, by the library otherwise, yielding
/// where cores are short; and records it. Returns MPI's error code. What the program's own code throws that
/// the library calls, error handlers and operators, passes through.
int dispatch(const CollectiveCall& call);

/// Makes a collective call that the library runs, as the call before, which is known; times it, and counts
/// it. Blocking calls only.
int make_timed(const CollectiveCall& call, const FastPathEntry& known);

/// Arguments of point-to-point calls that the library takes, as far as a look tells. Calls with others are
/// made as they are, so that the library names them where it says what is wrong. `peer`: the rank that sends
/// or receives.
bool is_sound_message(std::int64_t count, MPI_Datatype datatype, int peer, int tag, MPI_Comm comm);

inline constexpr auto no_bytes = [] { return std::uint64_t{0}; };
inline constexpr auto of_all = CallObserver::Interest::of_all;
inline constexpr auto of_reports_and_traces = CallObserver::Interest::of_reports_and_traces;

inline std::uint64_t tag_of(int tag) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(tag));
}

inline std::uint64_t tag_of(const char* text) {
  return text_hash(text == nullptr ? "" : text);
}

} // namespace thalweg::mpi

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the generated entry points need.

#include "base/hash.hpp"
#include "handlers.hpp"
#include "mpi/comm/communicators.hpp"
#include "mpi/entry/call_observer.hpp"
#include "mpi/entry/collective_runner.hpp"
#include "mpi/entry/dispatch.hpp"
#include "mpi/entry/sound_message.hpp"
#include "mpi/place/topologies.hpp"
#include "mpi/run/fast_path.hpp"
#include "mpi/state/gate.hpp"
#include "mpi/wait/polling.hpp"

#define THALWEG_ENTRY extern "C" __attribute__((visibility("default")))

// Both builtins speak of the function they stand in, so this cannot be one itself.
#define THALWEG_SITE (CallSite{__builtin_return_address(0), static_cast<const char*>(__builtin_dwarf_cfa())})

namespace thalweg::mpi {

inline constexpr auto no_bytes = [] { return std::uint64_t{0}; };
inline constexpr auto of_reports_and_traces = CallObserver::Interest::of_reports_and_traces;

inline std::uint64_t tag_of(int tag) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(tag));
}

inline std::uint64_t tag_of(const char* text) {
  return text_hash(text == nullptr ? "" : text);
}

} // namespace thalweg::mpi

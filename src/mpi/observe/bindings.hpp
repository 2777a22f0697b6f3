#pragma once

// The program's own call behind a language binding.
//
// Fortran and C++ bindings call MPI's C functions from inside their libraries, so the return address of such
// a call is the same for the whole program. The frame of the binding is of the same size each time, hence the
// program's return address lies at the same distance from our frame each time: it is found once by unwinding,
// and read afterwards.

#include <array>
#include <cstddef>
#include <cstdint>

#include "mpi/observe/call_site.hpp"

namespace thalweg::mpi::observe {

struct CachedCaller {
  const void* return_address = nullptr;
  std::ptrdiff_t distance = 0; // from our frame to where the program's return address is; 0: it is ours
};

inline constexpr std::size_t cached_callers_count = 64;
inline constinit thread_local std::array<CachedCaller, cached_callers_count> cached_callers{};

CachedCaller find_caller(const CallSite& site);

inline const void* program_site(const CallSite& site) {
  const auto bits = reinterpret_cast<std::uintptr_t>(site.return_address) * 0x9E3779B97F4A7C15U;
  CachedCaller& known = cached_callers[bits >> 58];
  if (known.return_address != site.return_address) [[unlikely]] {
    known = find_caller(site);
  }
  return known.distance == 0 ? site.return_address
                             : *reinterpret_cast<const void* const*>(site.frame + known.distance);
}

} // namespace thalweg::mpi::observe

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The program's own call behind a language binding.
//
// Fortran and C++ bindings call MPI's C functions from inside their libraries, so the return address of such
// a call is the same for the whole program. The frame of the binding is of the same size each time, hence the
// program's return address lies at the same distance from our frame each time: it is found once by unwinding,
// and read afterwards. Behind Python's binding, mpi4py, an instruction of the interpreter's stands for the
// place (see observe/python_calls.hpp).

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/per_thread.hpp"
#include "mpi/observe/call_site.hpp"
#include "mpi/observe/python_calls.hpp"

namespace thalweg::mpi::observe {

struct CachedCaller {
  const void* return_address = nullptr;
  std::ptrdiff_t distance = 0; // from our frame to where the program's return address is; 0: it is ours
  static constexpr std::ptrdiff_t in_python = std::numeric_limits<std::ptrdiff_t>::min();

  const void* program_site(const CallSite& site) const;
};

// Two places that a return address may be in, for programs call from many: to find a caller takes as long as
// a short call.
inline constexpr unsigned cached_callers_bits = 7;
using CachedCallers = std::array<CachedCaller, std::size_t{2} << cached_callers_bits>;

CachedCaller find_caller(const CallSite& site);
// The caller is put into the first of its places.
const CachedCaller* remember_caller(const CallSite& site, std::size_t place);

inline const void* CachedCaller::program_site(const CallSite& site) const {
  if (distance == 0) [[likely]]
    return return_address;
  if (distance != in_python)
    return *reinterpret_cast<const void* const*>(site.frame + distance);
  const void* const instruction = python_instruction();
  return instruction == nullptr ? return_address : instruction;
}

inline const void* program_site(const CallSite& site) {
  const auto bits = reinterpret_cast<std::uintptr_t>(site.return_address) * 0x9E3779B97F4A7C15U;
  const std::size_t place = (bits >> (64U - cached_callers_bits)) * 2;
  const CachedCaller* const places = &PerThread<CachedCallers>::here()[place];
  const CachedCaller* known = places;
  if (known->return_address != site.return_address) [[unlikely]] {
    known = &places[1];
    if (known->return_address != site.return_address)
      known = remember_caller(site, place);
  }
  return known->program_site(site);
}

} // namespace thalweg::mpi::observe

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// MPI's types and constants for the family of libraries that this interposer is built for, by the header of
// the oldest library of the family that is supported. For two families <mpi.h> is the one beside this file.

#include <cstdint>
#include <mpi.h>
#include <type_traits>

namespace thalweg::mpi {

enum class Family { openmpi, mpich, mpiabi };

#if defined(THALWEG_FAMILY_OPENMPI)
inline constexpr Family own_family = Family::openmpi;
#elif defined(THALWEG_FAMILY_MPICH)
inline constexpr Family own_family = Family::mpich;
#else
inline constexpr Family own_family = Family::mpiabi;
#endif

/// A handle as it arrives in a register. MPICH's handles are `int`, other families' are pointers: a call of a
/// program of another family keeps all of its bits on the way to that family's library. Passed like the
/// integer in it, for it is trivially copyable.
template <typename T>
class IntegerHandle {
public:
  IntegerHandle(T handle) : bits_(static_cast<std::uintptr_t>(handle)) {}
  operator T() const { return static_cast<T>(bits_); }

private:
  std::uintptr_t bits_;
};

template <typename T>
using Handle = std::conditional_t<std::is_integral_v<T>, IntegerHandle<T>, T>;

inline constexpr bool has_large_counts = own_family != Family::openmpi;

inline const char* family_name(Family family) {
  switch (family) {
  case Family::openmpi:
    return "Open MPI";
  case Family::mpich:
    return "MPICH";
  case Family::mpiabi:
    return "the standard MPI ABI";
  }
  return "";
}

} // namespace thalweg::mpi

#pragma once

// MPI's types and constants for the family of libraries that this interposer is built for, by the header of
// the oldest library of the family that is supported. For two families <mpi.h> is the one beside this file.

#include <mpi.h>

namespace thalweg::mpi {

enum class Family { openmpi, mpich, mpiabi };

#if defined(THALWEG_FAMILY_OPENMPI)
inline constexpr Family own_family = Family::openmpi;
#elif defined(THALWEG_FAMILY_MPICH)
inline constexpr Family own_family = Family::mpich;
#else
inline constexpr Family own_family = Family::mpiabi;
#endif

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

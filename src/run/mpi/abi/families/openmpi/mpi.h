/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#pragma GCC system_header

// Open MPI's header, with its predefined handles made independent of the library at link time: MPI_COMM_WORLD
// and the like are addresses of data in libmpi there. Here each is a variable of ours, filled by
// resolve_predefined_handles().

#define OMPI_SKIP_MPICXX 1
#include "predefined.hpp"

#include_next <mpi.h>

#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, global) (static_cast<type>(thalweg::mpi::predefined::global))

// What Open MPI 5.0 added and the header of 4.1 lacks.
#if MPI_VERSION < 4
typedef struct ompi_instance_t* MPI_Session;
#endif

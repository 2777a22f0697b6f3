/* SPDX-License-Identifier: BSD-3-Clause */
/* A program's declarations for reductions on network cards (docs/nic.md). This header is all: there is
 * nothing to link with. Without Thalweg, the calls have no effect. (glibc before 2.34 has dlsym in -ldl.) */
#ifndef THALWEG_NIC_H
#define THALWEG_NIC_H

#include "thalweg/status.h"

#include <dlfcn.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The function of the interposer that `thalweg run` preloads. */
typedef thalweg_status thalweg_name_nic_operator_function(MPI_Op op, const char* name);

/* Names the operator of the network cards that an operator of MPI_Op_create corresponds to: the function
 * that was defined under that name by THALWEG_NIC_OPERATOR (thalweg/nic_operator.h). Allreduce and reduce
 * by `nic` then run on the cards with it, if the agents of all hosts have the same version. Elsewhere the
 * call has no effect. The call does not communicate.
 *
 * All ranks that reduce with the operator name it alike, before they first do. The operator commutes: it
 * was created with commute=1. The library keeps a copy of `name`: at most 31 letters, digits and _, and no
 * digit in front. An operator that has a name may be freed at any time, but its memory lasts until the
 * program ends.
 *
 * Returns thalweg_error_invalid_argument for a predefined operator, for a second and different name, or
 * without a name; a line on stderr gives the error. */
static inline thalweg_status thalweg_nic_operator(MPI_Op op, const char* name) {
  union {
    void* found;
    thalweg_name_nic_operator_function* call;
  } entry;
  entry.found = dlsym(0 /* RTLD_DEFAULT */, "thalweg_name_nic_operator");
  return entry.found ? entry.call(op, name) : thalweg_success;
}

#ifdef __cplusplus
}
#endif

#endif

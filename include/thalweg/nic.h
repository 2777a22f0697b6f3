/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program may tell Thalweg of reductions on network devices (docs/nic.md). It is in this header alone:
 * there is nothing to link with. Where Thalweg is not there, nothing happens. (glibc before 2.34 has dlsym in
 * -ldl.) */
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

/* Says which operator of the network devices an operator of MPI_Op_create is: the function of that name that
 * was defined by THALWEG_NIC_OPERATOR (thalweg/nic_operator.h). Allreduce and reduce by `nic` with it then
 * run on the devices, where the agents of all hosts have that one, in the same version. Elsewhere all runs as
 * without this call. It does not communicate.
 *
 * All ranks that reduce with it name it so, before they first do. It commutes: it was created with commute=1.
 * Of `name` a copy is kept: at most 31 letters, digits and _, no digit in front. An operator that has a name
 * may be freed at any time, but its memory lasts until the program ends.
 *
 * Gives thalweg_error_invalid_argument for a predefined operator, another name than it has, or no name; what
 * is wrong is a line on stderr. */
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

/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives that are begun, then a computation whose speed alone is known, then the wait: "ialltoall", and
 * "late_ialltoall", which the last rank begins when the others are half through.
 *
 * Where each rank has a core, the computation is a loop on registers. What it takes beyond its time alone is
 * lost to the collective: to a progress thread, signals, the library's own helpers, memory that others fill.
 * Where ranks share cores, such a loop's duration is mostly that of other ranks' loops, and who computes
 * would have the processor's other work done meanwhile. So ranks sleep there, as if the core were their own,
 * and lost is the processor time that the process uses in its sleep, beyond what sleeping takes by itself. */
#ifndef THALWEG_OVERLAP_H
#define THALWEG_OVERLAP_H

#include "operations.h"

/* What calls took of this rank since this was cleared, in seconds. */
struct overlapped {
  double exposed;    /* in the start, in tests and in the wait */
  double waited;     /* of that, in the wait */
  double lost;       /* by the computation; less than nothing where the clock or the core's speed varied */
  double completion; /* from the start until the end was known */
};
extern struct overlapped overlapped;

int is_overlapped(const char* name);

/* A call of it; ends the job where there is no such operation. */
call_function* find_overlapped(const char* name);

/* The communicator of neighborhoods, if it was made. */
void free_ring(void);

/* A computation of so many seconds, 0 for none, but no shorter than is worth being measured, cut into
 * tests + 1 equal parts with an MPI_Test of the request between them. Collective, as all ranks compute while
 * they look how fast they are. */
void prepare_computation(double seconds, int tests, int sleeps);

double computation_seconds(void);
/* Of that, the processor's. */
double computation_cpu_seconds(void);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef THALWEG_OPERATIONS_H
#define THALWEG_OPERATIONS_H

#include <mpi.h>

/* What is measured: a collective of all ranks, or of each group of them at once. `bytes` is a whole number of
 * doubles for reductions. */
typedef void call_function(int bytes);

/* This rank in the job, and what it sends from and receives into. */
struct buffers {
  int rank, ranks;
  char* input;
  char* output;
  int* counts; /* what goes to each rank, and behind that, what comes from each */
  int* places;
};
extern struct buffers buffers;

/* Who is who; before all else. */
void know_ranks(void);

/* The ranks that make a call together: all, or as many as are wanted. */
struct group {
  MPI_Comm communicator;
  int rank, ranks;
  int wanted, strided;
  int root; /* of rooted collectives */
};
extern struct group group;

/* Groups of `wanted` ranks each, which has to divide all (0: all are one), neighbors or as far apart as
 * possible; collective. Gives whether they are others than before. Before prepare_buffers(). */
int form_groups(int wanted, int strided);
void leave_group(void);

/* The collective of that name; ends the job where there is none. To be looked up before the clock starts, as
 * the shortest calls take no longer than some comparisons of names. */
call_function* find_operation(const char* name);

/* Some calls are made with something else: those that are begun before it and waited for afterwards
 * ("ialltoall", overlap.h), and those to which the last rank comes late ("late_broadcast"). Gives the length
 * of what stands before the operation's own name; 0: it is an ordinary call. */
int prefix_of(const char* name);
/* What the last rank has waited so far for calls to which it came a millisecond late. */
extern double exposed_seconds;

/* Buffers for units of so many bytes. In an alltoallv each rank sends to `degree` ranks, itself and those
 * after it. */
void prepare_buffers(int bytes, int degree);
void free_buffers(void);

#endif

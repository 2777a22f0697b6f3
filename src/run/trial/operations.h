/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef THALWEG_OPERATIONS_H
#define THALWEG_OPERATIONS_H

/* What is measured: a collective on MPI_COMM_WORLD, with the root 0. `bytes` is a whole number of doubles for
 * reductions. */
typedef void call_function(int bytes);

/* The collective of that name; ends the job where there is none. To be looked up before the clock starts, as
 * the shortest calls take no longer than some comparisons of names. */
call_function* find_operation(const char* name);

/* Some calls are made with a millisecond of something else: those that are begun before it and waited for
 * afterwards ("ibarrier"), and those to which the last rank comes that late ("late_broadcast"). Gives the
 * length of what stands before the operation's own name; 0: it is an ordinary call. */
int prefix_of(const char* name);
/* What this rank has waited for such calls so far; of late ones only the last rank. */
extern double exposed_seconds;

/* Buffers for units of so many bytes. In an alltoallv each rank sends to `degree` ranks, itself and those
 * after it. */
void prepare_buffers(int bytes, int degree);
void free_buffers(void);

#endif

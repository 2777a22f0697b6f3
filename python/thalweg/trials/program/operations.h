#ifndef THALWEG_OPERATIONS_H
#define THALWEG_OPERATIONS_H

/* What is measured: a collective on MPI_COMM_WORLD, with the root 0. `bytes` is a whole number of doubles for
 * reductions. */
typedef void call_function(int bytes);

/* The collective of that name; ends the job where there is none. To be looked up before the clock starts, as
 * the shortest calls take no longer than some comparisons of names. */
call_function* find_operation(const char* name);

/* Is it one that is begun, and waited for after a millisecond of something else? Its name is the blocking
 * one's with an i before it. */
int is_nonblocking(const char* name);
/* What this rank has waited for such calls so far. */
extern double exposed_seconds;

/* Buffers for units of so many bytes. In an alltoallv each rank sends to `degree` ranks, itself and those
 * after it. */
void prepare_buffers(int bytes, int degree);
void free_buffers(void);

#endif

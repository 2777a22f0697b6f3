#ifndef THALWEG_OPERATIONS_H
#define THALWEG_OPERATIONS_H

/* What is measured: a collective on MPI_COMM_WORLD, with the root 0. `bytes` is a whole number of doubles for
 * reductions. */
typedef void call_function(int bytes);

/* The collective of that name; ends the job where there is none. To be looked up before the clock starts, as
 * the shortest calls take no longer than some comparisons of names. */
call_function* find_operation(const char* name);

/* Buffers for units of so many bytes. In an alltoallv each rank sends to `degree` ranks, itself and those
 * after it. */
void prepare_buffers(int bytes, int degree);
void free_buffers(void);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#include "loaded_probes.h"

#include <mpi.h>
#include <stdlib.h>

enum { trip_tag = 9, ready_tag = 10, unused_tag = 11, trips = 10 };

/* Receives from other ranks in turn that nobody sends to. */
static void post_unused(const struct Ends* ends, MPI_Request* requests, int count) {
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int other = ends->peer;
  for (int i = 0; i < count; ++i) {
    do
      other = (other + 1) % ranks;
    while (other == rank || (other == ends->peer && ranks > 2));
    MPI_Irecv(NULL, 0, MPI_BYTE, other, unused_tag, MPI_COMM_WORLD, &requests[i]);
  }
}

static void give_up(MPI_Request* requests, int count) {
  for (int i = 0; i < count; ++i) {
    MPI_Cancel(&requests[i]);
    MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  }
}

/* The messages' own receives are matched in order, so as many others stay before each of them. */
double trip_among_receives(const struct Ends* ends, int bytes, int receives) {
  MPI_Request own[trips];
  MPI_Request* const unused = malloc((size_t)receives * sizeof *unused);
  const int before = (receives - 1) / 2;
  post_unused(ends, unused, before);
  for (int i = 0; i < trips; ++i)
    MPI_Irecv(ends->to, bytes, MPI_BYTE, ends->peer, trip_tag, MPI_COMM_WORLD, &own[i]);
  post_unused(ends, unused + before, receives - 1 - before);
  MPI_Sendrecv(NULL, 0, MPI_BYTE, ends->peer, ready_tag, NULL, 0, MPI_BYTE, ends->peer, ready_tag,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const double begin = MPI_Wtime();
  for (int i = 0; i < trips; ++i) {
    if (ends->is_first)
      MPI_Send(ends->from, bytes, MPI_BYTE, ends->peer, trip_tag, MPI_COMM_WORLD);
    MPI_Wait(&own[i], MPI_STATUS_IGNORE);
    if (!ends->is_first)
      MPI_Send(ends->from, bytes, MPI_BYTE, ends->peer, trip_tag, MPI_COMM_WORLD);
  }
  const double seconds = (MPI_Wtime() - begin) / trips / 2;
  give_up(unused, receives - 1);
  free(unused);
  return seconds;
}

double crossing_trip(const struct Ends* ends, int bytes, int count) {
  const double begin = MPI_Wtime();
  for (int i = 0; i < count; ++i)
    MPI_Sendrecv(ends->from, bytes, MPI_BYTE, ends->peer, trip_tag, ends->to, bytes, MPI_BYTE, ends->peer,
                 trip_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return (MPI_Wtime() - begin) / count;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "forms.h"

#include "complete.h"

#include <stdlib.h>

// MPI gives each form its own function with the same arguments, so naming them is a macro's work and cannot
// be a function's. The caller's MPI_Request is `request`; counts[] and displacements[] of the large-count
// forms are of other types.
#define LIST(...) __VA_ARGS__

#if HAVE_PERSISTENT_COLLECTIVES
#define INIT_FORM(Name, small) MUST(MPI_##Name##_init(small, MPI_INFO_NULL, &request))
#else
#define INIT_FORM(Name, small) fail("MPI_" #Name "_init does not exist here")
#endif
#if HAVE_LARGE_COUNTS
#define LARGE_FORMS(Name, name, large)                                                                       \
  case BLOCKING_C:                                                                                           \
    MUST(MPI_##Name##_c(large));                                                                             \
    break;                                                                                                   \
  case NONBLOCKING_C:                                                                                        \
    MUST(MPI_I##name##_c(large, &request));                                                                  \
    break;                                                                                                   \
  case PERSISTENT_C:                                                                                         \
    MUST(MPI_##Name##_init_c(large, MPI_INFO_NULL, &request));                                               \
    break;
#else
#define LARGE_FORMS(Name, name, large)
#endif

#define CALL(form, Name, name, small, large)                                                                 \
  do {                                                                                                       \
    MPI_Request request = MPI_REQUEST_NULL;                                                                  \
    switch (form) {                                                                                          \
    case BLOCKING:                                                                                           \
      MUST(MPI_##Name(small));                                                                               \
      break;                                                                                                 \
    case NONBLOCKING:                                                                                        \
      MUST(MPI_I##name(small, &request));                                                                    \
      break;                                                                                                 \
    case PERSISTENT:                                                                                         \
      INIT_FORM(Name, LIST(small));                                                                          \
      break;                                                                                                 \
      LARGE_FORMS(Name, name, LIST(large))                                                                   \
    default:                                                                                                 \
      fail("form %d of MPI_" #Name " does not exist here", (int)(form));                                     \
    }                                                                                                        \
    finish(form, &request);                                                                                  \
  } while (0)

static _Thread_local int way = 0;

bool form_exists(Form form) {
  if (form == PERSISTENT)
    return HAVE_PERSISTENT_COLLECTIVES;
  return form < PERSISTENT || HAVE_LARGE_COUNTS;
}

Form form_of(int i) {
  int existing = 0;
  for (int form = 0; form < FORM_COUNT; ++form)
    existing += form_exists((Form)form);
  return (Form)(i % existing);
}

const char* form_name(Form form) {
  static const char* const names[FORM_COUNT] = {"blocking",   "non-blocking",   "persistent",
                                                "blocking_c", "non-blocking_c", "persistent_c"};
  return names[form];
}

bool form_reduces_in_place(Form form, int root) {
  const bool blocks = form == BLOCKING || form == BLOCKING_C;
  return !blocks || root == 0 || !known("reduce-in-place");
}

static void finish(Form form, MPI_Request* request) {
  if (form == BLOCKING || form == BLOCKING_C)
    return;
  const bool persistent = form == PERSISTENT || form == PERSISTENT_C;
  if (persistent && ++way % 2)
    MUST(MPI_Start(request));
  else if (persistent)
    MUST(MPI_Startall(1, request));
  complete_one(request, ++way, persistent);
  if (persistent) {
    MUST(MPI_Request_free(request));
    REQUIRE(*request == MPI_REQUEST_NULL, "MPI_Request_free left the request");
  }
}

// Copies of count and displacement arrays for the large-count forms; freed when the call is complete. Arrays
// that are insignificant come as NULL and stay it.
static MPI_Count* large_counts(const int* counts, int n) {
  if (counts == NULL)
    return NULL;
  MPI_Count* copy = malloc(((size_t)n + 1) * sizeof *copy);
  for (int i = 0; i < n; ++i)
    copy[i] = counts[i];
  return copy;
}

static MPI_Aint* large_displacements(const int* displacements, int n) {
  if (displacements == NULL)
    return NULL;
  MPI_Aint* copy = malloc(((size_t)n + 1) * sizeof *copy);
  for (int i = 0; i < n; ++i)
    copy[i] = displacements[i];
  return copy;
}

// Length of the count arrays: the group at the other side of the communicator.
static int peers_of(MPI_Comm comm) {
  int inter = 0, peers = 0;
  MUST(MPI_Comm_test_inter(comm, &inter));
  if (inter)
    MUST(MPI_Comm_remote_size(comm, &peers));
  else
    MUST(MPI_Comm_size(comm, &peers));
  return peers;
}

void form_barrier(Form form, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (form == BLOCKING || form == BLOCKING_C) {
    MUST(MPI_Barrier(comm));
  } else if (form == NONBLOCKING || form == NONBLOCKING_C) {
    MUST(MPI_Ibarrier(comm, &request));
    finish(form, &request);
  } else {
    INIT_FORM(Barrier, comm);
    finish(form, &request);
  }
}

void form_bcast(Form form, void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  CALL(form, Bcast, bcast, LIST(buffer, count, type, root, comm), LIST(buffer, count, type, root, comm));
}

void form_gather(Form form, const void* from, int from_count, MPI_Datatype from_type, void* to, int to_count,
                 MPI_Datatype to_type, int root, MPI_Comm comm) {
  CALL(form, Gather, gather, LIST(from, from_count, from_type, to, to_count, to_type, root, comm),
       LIST(from, from_count, from_type, to, to_count, to_type, root, comm));
}

void form_scatter(Form form, const void* from, int from_count, MPI_Datatype from_type, void* to, int to_count,
                  MPI_Datatype to_type, int root, MPI_Comm comm) {
  CALL(form, Scatter, scatter, LIST(from, from_count, from_type, to, to_count, to_type, root, comm),
       LIST(from, from_count, from_type, to, to_count, to_type, root, comm));
}

void form_allgather(Form form, const void* from, int from_count, MPI_Datatype from_type, void* to,
                    int to_count, MPI_Datatype to_type, MPI_Comm comm) {
  CALL(form, Allgather, allgather, LIST(from, from_count, from_type, to, to_count, to_type, comm),
       LIST(from, from_count, from_type, to, to_count, to_type, comm));
}

void form_alltoall(Form form, const void* from, int from_count, MPI_Datatype from_type, void* to,
                   int to_count, MPI_Datatype to_type, MPI_Comm comm) {
  CALL(form, Alltoall, alltoall, LIST(from, from_count, from_type, to, to_count, to_type, comm),
       LIST(from, from_count, from_type, to, to_count, to_type, comm));
}

void form_gatherv(Form form, const void* from, int from_count, MPI_Datatype from_type, void* to,
                  const int* to_counts, const int* to_displacements, MPI_Datatype to_type, int root,
                  MPI_Comm comm) {
  const int peers = peers_of(comm);
  MPI_Count* counts = large_counts(to_counts, peers);
  MPI_Aint* displacements = large_displacements(to_displacements, peers);
  CALL(form, Gatherv, gatherv,
       LIST(from, from_count, from_type, to, to_counts, to_displacements, to_type, root, comm),
       LIST(from, from_count, from_type, to, counts, displacements, to_type, root, comm));
  free(counts);
  free(displacements);
}

void form_scatterv(Form form, const void* from, const int* from_counts, const int* from_displacements,
                   MPI_Datatype from_type, void* to, int to_count, MPI_Datatype to_type, int root,
                   MPI_Comm comm) {
  const int peers = peers_of(comm);
  MPI_Count* counts = large_counts(from_counts, peers);
  MPI_Aint* displacements = large_displacements(from_displacements, peers);
  CALL(form, Scatterv, scatterv,
       LIST(from, from_counts, from_displacements, from_type, to, to_count, to_type, root, comm),
       LIST(from, counts, displacements, from_type, to, to_count, to_type, root, comm));
  free(counts);
  free(displacements);
}

void form_allgatherv(Form form, const void* from, int from_count, MPI_Datatype from_type, void* to,
                     const int* to_counts, const int* to_displacements, MPI_Datatype to_type, MPI_Comm comm) {
  const int peers = peers_of(comm);
  MPI_Count* counts = large_counts(to_counts, peers);
  MPI_Aint* displacements = large_displacements(to_displacements, peers);
  CALL(form, Allgatherv, allgatherv,
       LIST(from, from_count, from_type, to, to_counts, to_displacements, to_type, comm),
       LIST(from, from_count, from_type, to, counts, displacements, to_type, comm));
  free(counts);
  free(displacements);
}

void form_alltoallv(Form form, const void* from, const int* from_counts, const int* from_displacements,
                    MPI_Datatype from_type, void* to, const int* to_counts, const int* to_displacements,
                    MPI_Datatype to_type, MPI_Comm comm) {
  const int peers = peers_of(comm);
  MPI_Count* counts_out = large_counts(from_counts, peers);
  MPI_Count* counts_in = large_counts(to_counts, peers);
  MPI_Aint* displacements_out = large_displacements(from_displacements, peers);
  MPI_Aint* displacements_in = large_displacements(to_displacements, peers);
  CALL(form, Alltoallv, alltoallv,
       LIST(from, from_counts, from_displacements, from_type, to, to_counts, to_displacements, to_type, comm),
       LIST(from, counts_out, displacements_out, from_type, to, counts_in, displacements_in, to_type, comm));
  free(counts_out);
  free(counts_in);
  free(displacements_out);
  free(displacements_in);
}

void form_alltoallw(Form form, const void* from, const int* from_counts, const int* from_displacements,
                    const MPI_Datatype* from_types, void* to, const int* to_counts,
                    const int* to_displacements, const MPI_Datatype* to_types, MPI_Comm comm) {
  const int peers = peers_of(comm);
  MPI_Count* counts_out = large_counts(from_counts, peers);
  MPI_Count* counts_in = large_counts(to_counts, peers);
  MPI_Aint* displacements_out = large_displacements(from_displacements, peers);
  MPI_Aint* displacements_in = large_displacements(to_displacements, peers);
  CALL(
      form, Alltoallw, alltoallw,
      LIST(from, from_counts, from_displacements, from_types, to, to_counts, to_displacements, to_types,
           comm),
      LIST(from, counts_out, displacements_out, from_types, to, counts_in, displacements_in, to_types, comm));
  free(counts_out);
  free(counts_in);
  free(displacements_out);
  free(displacements_in);
}

void form_reduce(Form form, const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, int root,
                 MPI_Comm comm) {
  CALL(form, Reduce, reduce, LIST(from, to, count, type, op, root, comm),
       LIST(from, to, count, type, op, root, comm));
}

void form_allreduce(Form form, const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                    MPI_Comm comm) {
  CALL(form, Allreduce, allreduce, LIST(from, to, count, type, op, comm),
       LIST(from, to, count, type, op, comm));
}

void form_reduce_scatter(Form form, const void* from, void* to, const int* counts, MPI_Datatype type,
                         MPI_Op op, MPI_Comm comm) {
  int local_size = 0;
  MUST(MPI_Comm_size(comm, &local_size));
  MPI_Count* counts_c = large_counts(counts, local_size);
  CALL(form, Reduce_scatter, reduce_scatter, LIST(from, to, counts, type, op, comm),
       LIST(from, to, counts_c, type, op, comm));
  free(counts_c);
}

void form_reduce_scatter_block(Form form, const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                               MPI_Comm comm) {
  CALL(form, Reduce_scatter_block, reduce_scatter_block, LIST(from, to, count, type, op, comm),
       LIST(from, to, count, type, op, comm));
}

void form_scan(Form form, const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
               MPI_Comm comm) {
  CALL(form, Scan, scan, LIST(from, to, count, type, op, comm), LIST(from, to, count, type, op, comm));
}

void form_exscan(Form form, const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                 MPI_Comm comm) {
  CALL(form, Exscan, exscan, LIST(from, to, count, type, op, comm), LIST(from, to, count, type, op, comm));
}

void form_neighbor_allgather(Form form, const void* from, int from_count, MPI_Datatype from_type, void* to,
                             int to_count, MPI_Datatype to_type, MPI_Comm comm) {
  CALL(form, Neighbor_allgather, neighbor_allgather,
       LIST(from, from_count, from_type, to, to_count, to_type, comm),
       LIST(from, from_count, from_type, to, to_count, to_type, comm));
}

void form_neighbor_allgatherv(Form form, const void* from, int from_count, MPI_Datatype from_type, void* to,
                              const int* to_counts, const int* to_displacements, MPI_Datatype to_type,
                              int sources, MPI_Comm comm) {
  MPI_Count* counts = large_counts(to_counts, sources);
  MPI_Aint* displacements = large_displacements(to_displacements, sources);
  CALL(form, Neighbor_allgatherv, neighbor_allgatherv,
       LIST(from, from_count, from_type, to, to_counts, to_displacements, to_type, comm),
       LIST(from, from_count, from_type, to, counts, displacements, to_type, comm));
  free(counts);
  free(displacements);
}

void form_neighbor_alltoall(Form form, const void* from, int from_count, MPI_Datatype from_type, void* to,
                            int to_count, MPI_Datatype to_type, MPI_Comm comm) {
  CALL(form, Neighbor_alltoall, neighbor_alltoall,
       LIST(from, from_count, from_type, to, to_count, to_type, comm),
       LIST(from, from_count, from_type, to, to_count, to_type, comm));
}

void form_neighbor_alltoallv(Form form, const void* from, const int* from_counts,
                             const int* from_displacements, MPI_Datatype from_type, void* to,
                             const int* to_counts, const int* to_displacements, MPI_Datatype to_type,
                             int sources, int destinations, MPI_Comm comm) {
  MPI_Count* counts_out = large_counts(from_counts, destinations);
  MPI_Count* counts_in = large_counts(to_counts, sources);
  MPI_Aint* displacements_out = large_displacements(from_displacements, destinations);
  MPI_Aint* displacements_in = large_displacements(to_displacements, sources);
  CALL(form, Neighbor_alltoallv, neighbor_alltoallv,
       LIST(from, from_counts, from_displacements, from_type, to, to_counts, to_displacements, to_type, comm),
       LIST(from, counts_out, displacements_out, from_type, to, counts_in, displacements_in, to_type, comm));
  free(counts_out);
  free(counts_in);
  free(displacements_out);
  free(displacements_in);
}

void form_neighbor_alltoallw(Form form, const void* from, const int* from_counts,
                             const MPI_Aint* from_displacements, const MPI_Datatype* from_types, void* to,
                             const int* to_counts, const MPI_Aint* to_displacements,
                             const MPI_Datatype* to_types, int sources, int destinations, MPI_Comm comm) {
  MPI_Count* counts_out = large_counts(from_counts, destinations);
  MPI_Count* counts_in = large_counts(to_counts, sources);
  CALL(form, Neighbor_alltoallw, neighbor_alltoallw,
       LIST(from, from_counts, from_displacements, from_types, to, to_counts, to_displacements, to_types,
            comm),
       LIST(from, counts_out, from_displacements, from_types, to, counts_in, to_displacements, to_types,
            comm));
  free(counts_out);
  free(counts_in);
}

/* SPDX-License-Identifier: BSD-3-Clause */
// Calls whose arguments MPI forbids: what the library says of each, through which error handler, and that the
// next call works. What it prints is the same natively and under an interposer.
//
//     refused [unset] SUBJECT...
//
// Subjects are operators, types, counts, places (of MPI_IN_PLACE); and what not every library finds before it
// crashes: uncommitted types, arrays of counts, stale handles, buffers, neighbors' places. Before them
// `unset`, for libraries whose communicators have no handler at first.

#include "refusals.h"

static void try_operators(MPI_Comm comm, MPI_Comm good, const char* what, MPI_Datatype type, MPI_Op op) {
  static double in[WIDE], out[WIDE];
  static int counts[WIDE];
  char name[100];
  MPI_Request request;
  for (int r = 0; r < size; ++r)
    counts[r] = 1;
#define REDUCTION(function, ...)                                                                             \
  snprintf(name, sizeof name, "%s %s", what, function);                                                      \
  TRY(name, __VA_ARGS__)
  REDUCTION("allreduce", MPI_Allreduce(in, out, 1, type, op, comm));
  REDUCTION("reduce", MPI_Reduce(in, out, 1, type, op, 0, comm));
  REDUCTION("scan", MPI_Scan(in, out, 1, type, op, comm));
  REDUCTION("exscan", MPI_Exscan(in, out, 1, type, op, comm));
  REDUCTION("reduce_scatter", MPI_Reduce_scatter(in, out, counts, type, op, comm));
  REDUCTION("reduce_scatter_block", MPI_Reduce_scatter_block(in, out, 1, type, op, comm));
  REDUCTION("iallreduce", MPI_Iallreduce(in, out, 1, type, op, comm, &request));
  REDUCTION("ireduce", MPI_Ireduce(in, out, 1, type, op, 0, comm, &request));
#if MPI_VERSION >= 4
  REDUCTION("allreduce_init", MPI_Allreduce_init(in, out, 1, type, op, comm, MPI_INFO_NULL, &request));
#endif
}

static void try_types(MPI_Comm comm, MPI_Comm ring, MPI_Comm good, const char* what, MPI_Datatype type) {
  static int in[WIDE], out[WIDE];
  char name[100];
  MPI_Request request;
#define MOVE(function, ...)                                                                                  \
  snprintf(name, sizeof name, "%s %s", what, function);                                                      \
  TRY(name, __VA_ARGS__)
  MOVE("bcast", MPI_Bcast(in, 1, type, 0, comm));
  MOVE("gather", MPI_Gather(in, 1, type, out, 1, type, 0, comm));
  MOVE("scatter", MPI_Scatter(in, 1, type, out, 1, type, 0, comm));
  MOVE("allgather", MPI_Allgather(in, 1, type, out, 1, type, comm));
  MOVE("alltoall", MPI_Alltoall(in, 1, type, out, 1, type, comm));
  MOVE("ibcast", MPI_Ibcast(in, 1, type, 0, comm, &request));
  MOVE("iallgather", MPI_Iallgather(in, 1, type, out, 1, type, comm, &request));
  MOVE("neighbor_allgather", MPI_Neighbor_allgather(in, 1, type, out, 1, type, ring));
  MOVE("neighbor_alltoall", MPI_Neighbor_alltoall(in, 1, type, out, 1, type, ring));
  MOVE("send", MPI_Send(in, 1, type, MPI_PROC_NULL, 0, comm));
  MOVE("isend", MPI_Isend(in, 1, type, MPI_PROC_NULL, 0, comm, &request));
  MOVE("recv", MPI_Recv(in, 1, type, MPI_PROC_NULL, 0, comm, MPI_STATUS_IGNORE));
}

static void try_counts(MPI_Comm comm, MPI_Comm ring, MPI_Comm good) {
  static int in[WIDE], out[WIDE], places[WIDE], ones[WIDE];
  MPI_Request request;
  for (int r = 0; r < size; ++r) {
    ones[r] = 1;
    places[r] = r;
  }
  TRY("count of bcast", MPI_Bcast(in, -1, MPI_INT, 0, comm));
  TRY("count of alltoall", MPI_Alltoall(in, -1, MPI_INT, out, -1, MPI_INT, comm));
  TRY("count of gather", MPI_Gather(in, -1, MPI_INT, out, -1, MPI_INT, 0, comm));
  TRY("count of allgather", MPI_Allgather(in, -1, MPI_INT, out, -1, MPI_INT, comm));
  TRY("count of ialltoall", MPI_Ialltoall(in, -1, MPI_INT, out, -1, MPI_INT, comm, &request));
  TRY("count of neighbor_allgather", MPI_Neighbor_allgather(in, -1, MPI_INT, out, -1, MPI_INT, ring));
  TRY("root of bcast", MPI_Bcast(in, 1, MPI_INT, size + 3, comm));
  TRY("negative root of bcast", MPI_Bcast(in, 1, MPI_INT, -9, comm));
  TRY("root of reduce", MPI_Reduce(in, out, 1, MPI_INT, MPI_SUM, size, comm));
  TRY("root of ireduce", MPI_Ireduce(in, out, 1, MPI_INT, MPI_SUM, size, comm, &request));
  TRY("root of gatherv", MPI_Gatherv(in, 1, MPI_INT, out, ones, places, MPI_INT, size, comm));
  TRY("root of scatter", MPI_Scatter(in, 1, MPI_INT, out, 1, MPI_INT, size, comm));
  TRY("destination", MPI_Send(in, 1, MPI_INT, size + 5, 0, comm));
  TRY("color", MPI_Comm_split(comm, -5, 0, &(MPI_Comm){MPI_COMM_NULL}));
}

static void try_arrays(MPI_Comm comm, MPI_Comm good) {
  static int in[WIDE], out[WIDE], negative[WIDE], places[WIDE];
  for (int r = 0; r < size; ++r) {
    negative[r] = -1;
    places[r] = r;
  }
  TRY("counts of allgatherv", MPI_Allgatherv(in, 1, MPI_INT, out, negative, places, MPI_INT, comm));
  TRY("counts of alltoallv",
      MPI_Alltoallv(in, negative, places, MPI_INT, out, negative, places, MPI_INT, comm));
  TRY("counts of reduce_scatter", MPI_Reduce_scatter(in, out, negative, MPI_INT, MPI_SUM, comm));
}

// Handles of what was freed, and of nothing.
static void try_stale(MPI_Comm comm, MPI_Comm ring, MPI_Comm good) {
  static int in[WIDE], out[WIDE];
  MPI_Request request;
  MPI_Comm freed_comm, was_comm;
  MPI_Comm_dup(comm, &freed_comm);
  MPI_Bcast(in, 1, MPI_INT, 0, freed_comm);
  was_comm = freed_comm;
  MPI_Comm_free(&freed_comm);
  const MPI_Comm bad[] = {was_comm, (MPI_Comm)(long)0x12345678};
  for (int b = 0; b < 2; ++b) {
    TRY("barrier on no communicator", MPI_Barrier(bad[b]));
    TRY("bcast on no communicator", MPI_Bcast(in, 1, MPI_INT, 0, bad[b]));
    TRY("ibarrier on no communicator", MPI_Ibarrier(bad[b], &request));
    TRY("send on no communicator", MPI_Send(in, 1, MPI_INT, 0, 0, bad[b]));
    TRY("dup of no communicator", MPI_Comm_dup(bad[b], &freed_comm));
    TRY("split of no communicator", MPI_Comm_split(bad[b], 0, 0, &freed_comm));
  }
  try_types(comm, ring, good, "garbage as type,", (MPI_Datatype)(long)0x12345678);
  try_operators(comm, good, "garbage as operator,", MPI_INT, (MPI_Op)(long)0x12345678);
}

// On communicators that behave as `comm`. The root alone is wrong, and the others' messages are left over;
// later calls of another kind are right all the same.
static MPI_Comm apart_from(MPI_Comm comm) {
  static int in[WIDE], out[WIDE];
  MPI_Comm apart;
  MPI_Comm_dup(comm, &apart);
  for (int round = 0; round < 4; ++round) { // like those that are wrong, but for the buffers
    MPI_Reduce(in, out, 1, MPI_INT, MPI_SUM, 0, apart);
    MPI_Gather(in, 1, MPI_INT, out, 1, MPI_INT, 0, apart);
  }
  return apart;
}
static void end_apart(MPI_Comm* apart, const char* name, MPI_Comm good) {
  int sum = 0;
  int wrong = 0;
  for (int turn = 0; turn < 20; ++turn) {
    const int mine = rank + turn;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, *apart);
    wrong += sum != size * (size - 1) / 2 + size * turn;
  }
  say(name, wrong == 0 ? MPI_SUCCESS : MPI_ERR_OTHER, good);
  MPI_Comm_free(apart);
}
#define AT_ROOT(name, call)                                                                                  \
  do {                                                                                                       \
    MPI_Comm apart = apart_from(comm);                                                                       \
    TRY(name, call);                                                                                         \
    end_apart(&apart, "later calls", good);                                                                  \
  } while (0)

// Calls that move data, some of them right. `own`: where this rank's block lies in the other buffer.
static void move_all(MPI_Comm comm, MPI_Comm good, const char* what, int* from, int* to, int* own_from,
                     int* own_to) {
  static int ones[WIDE], places[WIDE], bytes[WIDE];
  static MPI_Datatype types[WIDE];
  char name[100];
  MPI_Request request;
  for (int r = 0; r < size; ++r) {
    ones[r] = 1;
    bytes[r] = r * (int)sizeof(int);
    places[r] = r;
    types[r] = MPI_INT;
  }
  MOVE("allgather", MPI_Allgather(own_from, 1, MPI_INT, to, 1, MPI_INT, comm));
  MOVE("allgatherv", MPI_Allgatherv(own_from, 1, MPI_INT, to, ones, places, MPI_INT, comm));
  MOVE("alltoall", MPI_Alltoall(from, 1, MPI_INT, to, 1, MPI_INT, comm));
  MOVE("alltoallv", MPI_Alltoallv(from, ones, places, MPI_INT, to, ones, places, MPI_INT, comm));
  MOVE("iallgather", MPI_Iallgather(own_from, 1, MPI_INT, to, 1, MPI_INT, comm, &request));
  MOVE("iallgatherv", MPI_Iallgatherv(own_from, 1, MPI_INT, to, ones, places, MPI_INT, comm, &request));
  MOVE("ialltoallv", MPI_Ialltoallv(from, ones, places, MPI_INT, to, ones, places, MPI_INT, comm, &request));
  MOVE("alltoallw", MPI_Alltoallw(from, ones, bytes, types, to, ones, bytes, types, comm));
  const MPI_Datatype at_root = rank == 0 ? MPI_INT : MPI_DATATYPE_NULL;
  static int right[WIDE];
  AT_ROOT("gather", MPI_Gather(rank == 0 ? own_from : right, 1, MPI_INT, to, 1, MPI_INT, 0, apart));
  AT_ROOT("gatherv",
          MPI_Gatherv(rank == 0 ? own_from : right, 1, MPI_INT, to, ones, places, MPI_INT, 0, apart));
  MOVE("scatter", MPI_Scatter(from, 1, MPI_INT, own_to, 1, at_root, 0, comm));
  MOVE("scatterv", MPI_Scatterv(from, ones, places, MPI_INT, own_to, 1, at_root, 0, comm));
}

// A buffer is wanted where there is a count, and not the same one twice.
static void try_buffers(MPI_Comm comm, MPI_Comm ring, MPI_Comm good) {
  static int in[WIDE], out[WIDE], ones[WIDE], places[WIDE];
  for (int r = 0; r < size; ++r) {
    ones[r] = 1;
    places[r] = r;
  }
  for (int round = 0; round < 4; ++round) { // like those that are wrong, but for the buffers
    MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, comm);
    MPI_Reduce_scatter(in, out, ones, MPI_INT, MPI_SUM, comm);
    MPI_Allgather(in, 1, MPI_INT, out, 1, MPI_INT, comm);
    MPI_Allgatherv(in, 1, MPI_INT, out, ones, places, MPI_INT, comm);
    MPI_Alltoall(in, 1, MPI_INT, out, 1, MPI_INT, comm);
    MPI_Alltoallv(in, ones, places, MPI_INT, out, ones, places, MPI_INT, comm);
  }
  TRY("no buffer", MPI_Allreduce(in, NULL, 1, MPI_INT, MPI_SUM, comm));
  TRY("one buffer twice", MPI_Allreduce(in, in, 1, MPI_INT, MPI_SUM, comm));
  AT_ROOT("one buffer twice of reduce", MPI_Reduce(in, rank == 0 ? in : out, 1, MPI_INT, MPI_SUM, 0, apart));
  TRY("no buffer of reduce_scatter", MPI_Reduce_scatter(in, NULL, ones, MPI_INT, MPI_SUM, comm));
  TRY("one buffer twice of reduce_scatter", MPI_Reduce_scatter(in, in, ones, MPI_INT, MPI_SUM, comm));
  move_all(comm, good, "one buffer twice,", in, in, in + rank, in);
  move_all(comm, good, "no buffer to receive,", in, NULL, in, NULL);
  move_all(comm, good, "no buffer to send,", NULL, out, NULL, out);
  TRY("no buffer of neighbors", MPI_Neighbor_alltoall(in, 1, MPI_INT, NULL, 1, MPI_INT, ring));
  TRY("no buffer of neighbors, varied",
      MPI_Neighbor_alltoallv(NULL, ones, places, MPI_INT, out, ones, places, MPI_INT, ring));
}

// MPI_IN_PLACE stands for the buffer that a rank reads.
static void try_places_of_reductions(MPI_Comm comm, MPI_Comm good) {
  static int in[WIDE], out[WIDE], ones[WIDE];
  MPI_Request request;
  void* const here = MPI_IN_PLACE;
  for (int r = 0; r < size; ++r)
    ones[r] = 1;
  for (int turn = 0; turn < 4; ++turn) // like one that was right, but for the buffer
    TRY("result of allreduce", MPI_Allreduce(in, turn % 2 ? here : out, 1, MPI_INT, MPI_SUM, comm));
  AT_ROOT("result of reduce", MPI_Reduce(in, rank == 0 ? here : out, 1, MPI_INT, MPI_SUM, 0, apart));
  TRY("result of scan", MPI_Scan(in, here, 1, MPI_INT, MPI_SUM, comm));
  TRY("result of reduce_scatter", MPI_Reduce_scatter(in, here, ones, MPI_INT, MPI_SUM, comm));
  TRY("result of reduce_scatter_block", MPI_Reduce_scatter_block(in, here, 1, MPI_INT, MPI_SUM, comm));
  TRY("result of iallreduce", MPI_Iallreduce(in, here, 1, MPI_INT, MPI_SUM, comm, &request));
}

static void try_places_of_moves(MPI_Comm comm, MPI_Comm good) {
  static int in[WIDE], out[WIDE], ones[WIDE], places[WIDE];
  void* const here = MPI_IN_PLACE;
  const MPI_Datatype at_root = rank == 0 ? MPI_INT : MPI_DATATYPE_NULL;
  for (int r = 0; r < size; ++r) {
    ones[r] = 1;
    places[r] = r;
  }
  TRY("place of gather", MPI_Gather(in, 1, at_root, rank == 0 ? here : out, 1, MPI_INT, 0, comm));
  TRY("place of allgather", MPI_Allgather(in, 1, MPI_INT, here, 1, MPI_INT, comm));
  TRY("place of allgatherv", MPI_Allgatherv(in, 1, MPI_INT, here, ones, places, MPI_INT, comm));
  TRY("place of alltoall", MPI_Alltoall(in, 1, MPI_INT, here, 1, MPI_INT, comm));
  TRY("place of alltoallv", MPI_Alltoallv(in, ones, places, MPI_INT, here, ones, places, MPI_INT, comm));
}

// Where MPICH crashes.
static void try_places_of_neighbors(MPI_Comm comm, MPI_Comm ring, MPI_Comm good) {
  static int in[WIDE], out[WIDE];
  void* const here = MPI_IN_PLACE;
  TRY("place of bcast", MPI_Bcast(here, 1, MPI_INT, 0, comm));
  TRY("place of neighbor_allgather", MPI_Neighbor_allgather(in, 1, MPI_INT, here, 1, MPI_INT, ring));
  TRY("place of neighbor_allgather, sent", MPI_Neighbor_allgather(here, 1, MPI_INT, out, 1, MPI_INT, ring));
  TRY("place of neighbor_alltoall", MPI_Neighbor_alltoall(here, 1, MPI_INT, out, 1, MPI_INT, ring));
}

// What is noted of calls asks for neighbors too, where there are some.
static void try_without_neighbors(MPI_Comm comm, MPI_Comm good) {
  static int in[WIDE], out[WIDE];
  TRY("neighbor_allgather without neighbors", MPI_Neighbor_allgather(in, 1, MPI_INT, out, 1, MPI_INT, comm));
  TRY("neighbor_alltoall without neighbors", MPI_Neighbor_alltoall(in, 1, MPI_INT, out, 1, MPI_INT, comm));
}

static void try_all_operators(MPI_Comm comm, MPI_Comm good) {
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  try_operators(comm, good, "MPI_BAND on MPI_DOUBLE,", MPI_DOUBLE, MPI_BAND);
  try_operators(comm, good, "MPI_MINLOC on MPI_INT,", MPI_INT, MPI_MINLOC);
  try_operators(comm, good, "MPI_SUM on MPI_2INT,", MPI_2INT, MPI_SUM);
  try_operators(comm, good, "MPI_SUM on a derived type,", pair, MPI_SUM);
  try_operators(comm, good, "MPI_OP_NULL,", MPI_INT, MPI_OP_NULL);
  try_operators(comm, good, "MPI_SUM on MPI_DATATYPE_NULL,", MPI_DATATYPE_NULL, MPI_SUM);
  MPI_Type_free(&pair);
  TRY("barrier on MPI_COMM_NULL", MPI_Barrier(MPI_COMM_NULL));
}

static void try_uncommitted(MPI_Comm comm, MPI_Comm ring, MPI_Comm good) {
  MPI_Datatype unready;
  MPI_Type_contiguous(2, MPI_INT, &unready);
  try_types(comm, ring, good, "uncommitted type,", unready);
  MPI_Type_free(&unready);
}

static void busy_with(MPI_Comm comm) {
  for (int call = 0; call < 20; ++call) {
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  }
}

static void try_unset(const char* what, MPI_Comm comm, MPI_Comm good) {
  int in[1] = {0};
  char name[100];
  snprintf(name, sizeof name, "source on %s", what);
  TRY(name, MPI_Recv(in, 1, MPI_INT, size + 1, 0, comm, MPI_STATUS_IGNORE));
  snprintf(name, sizeof name, "root on %s", what);
  TRY(name, MPI_Bcast(in, 1, MPI_INT, size + 1, comm));
}

// Communicators that were given no handler: MPICH's have that of MPI_COMM_WORLD, whatever it becomes after
// they were used, and others end the job.
static void try_unset_handlers(MPI_Comm good) {
  MPI_Comm busy, half, unseen, of_unseen;
  MPI_Request request;
  MPI_Comm_dup(MPI_COMM_WORLD, &busy);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Comm_idup(busy, &unseen, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  busy_with(busy);
  busy_with(half);
  busy_with(unseen);
  MPI_Comm_dup(unseen, &of_unseen);
  busy_with(of_unseen);
  busy_with(MPI_COMM_WORLD);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  try_unset("MPI_COMM_SELF", MPI_COMM_SELF, good);
  try_unset("a busy communicator", busy, good);
  try_unset("a part of it", half, good);
  try_unset("an unseen communicator", unseen, good);
  try_unset("its duplicate", of_unseen, good);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc > 1 && strcmp(argv[1], "unset") == 0)
    try_unset_handlers(MPI_COMM_WORLD);
  MPI_Comm duplicate, ring, good;
  const int periodic = 1;
  MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
  MPI_Comm_dup(MPI_COMM_WORLD, &good);
  hear(MPI_COMM_WORLD, of_world);
  hear(MPI_COMM_SELF, of_self);
  hear(duplicate, of_duplicate);
  hear(ring, of_duplicate);

  for (int a = 1; a < argc; ++a) {
    if (strcmp(argv[a], "operators") == 0)
      try_all_operators(duplicate, good);
    if (strcmp(argv[a], "types") == 0)
      try_types(duplicate, ring, good, "MPI_DATATYPE_NULL,", MPI_DATATYPE_NULL);
    if (strcmp(argv[a], "counts") == 0) {
      try_counts(duplicate, ring, good);
      try_without_neighbors(duplicate, good);
    }
    if (strcmp(argv[a], "places") == 0) {
      try_places_of_reductions(duplicate, good);
      try_places_of_moves(duplicate, good);
    }
    if (strcmp(argv[a], "neighbors") == 0)
      try_places_of_neighbors(duplicate, ring, good);
    if (strcmp(argv[a], "uncommitted") == 0)
      try_uncommitted(duplicate, ring, good);
    if (strcmp(argv[a], "arrays") == 0)
      try_arrays(duplicate, good);
    if (strcmp(argv[a], "stale") == 0)
      try_stale(duplicate, ring, good);
    if (strcmp(argv[a], "buffers") == 0)
      try_buffers(duplicate, ring, good);
  }
  for (int r = 1; r < size; ++r) { // ranks one after the other
    if (rank == r)
      MPI_Send(text, (int)used, MPI_CHAR, 0, 0, good);
    if (rank == 0) {
      MPI_Status status;
      int length = 0;
      MPI_Recv(text + used, (int)(sizeof text - used), MPI_CHAR, r, 0, good, &status);
      MPI_Get_count(&status, MPI_CHAR, &length);
      used += (size_t)length;
    }
  }
  if (rank == 0)
    fwrite(text, 1, used, stdout);
  MPI_Finalize();
  return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
// Exact sums (nic:sum=exact): whoever adds in whatever order, the result is the number nearest to the sum, as
// the compiler rounds an integer of 128 bits. In reductions of all forms, with ranks in two orders.
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 60, ROUNDS = 30, UNIT = -70 };

__extension__ typedef __int128 Wide;

// A rank's number in units of 2^UNIT: of all sizes, and those of neighbors nearly cancel.
static Wide brought(int rank, int at, int round, int bits) {
  const uint64_t seed = mix((uint64_t)(rank / 2 * 1009 + at) * 131 + (uint64_t)round);
  const int64_t mantissa = (int64_t)(seed >> (64 - bits)) - (rank % 2 == 1 ? (int64_t)(seed % 3) : 0);
  const Wide number = (Wide)mantissa << seed % 53;
  return rank % 2 == 0 ? number : -number;
}

static Wide sum_of(int at, int round, int bits) {
  Wide sum = 0;
  for (int rank = 0; rank < world_size; ++rank)
    sum += brought(rank, at, round, bits);
  return sum;
}

static void check_doubles(const double* sums, int count, int round) {
  for (int at = 0; at < count; ++at) {
    const double nearest = ldexp((double)sum_of(at, round, 53), UNIT);
    REQUIRE(sums[at] == nearest, "number %d is %a, not %a", at, sums[at], nearest);
  }
}

static void check_floats(const float* sums, int count, int round) {
  for (int at = 0; at < count; ++at) {
    const float nearest = ldexpf((float)sum_of(at, round, 24), UNIT);
    REQUIRE(sums[at] == nearest, "number %d is %a, not %a", at, (double)sums[at], (double)nearest);
  }
}

#if HAVE_PERSISTENT_COLLECTIVES && defined(OPEN_MPI)
// MPICH runs persistent ones by itself.
static void check_persistent(MPI_Comm comm, int count, int round, const double* doubles) {
  double own[MOST], sums[MOST];
  MPI_Request request;
  context("MPI_Allreduce_init of %d in round %d", count, round);
  MUST(MPI_Allreduce_init(own, sums, count, MPI_DOUBLE, MPI_SUM, comm, MPI_INFO_NULL, &request));
  for (int start = 0; start < 2; ++start) {
    memcpy(own, doubles, sizeof own);
    memset(sums, 0, sizeof sums);
    MUST(MPI_Start(&request));
    MUST(MPI_Wait(&request, MPI_STATUS_IGNORE));
    check_doubles(sums, count, round);
    memset(own, 0, sizeof own); // each start takes what is there by then
  }
  MUST(MPI_Request_free(&request));
}
#endif

static void check_round(MPI_Comm comm, int count, int round) {
  double doubles[MOST] = {0}, sums[MOST];
  float floats[MOST] = {0}, short_sums[MOST];
  MPI_Request requests[2];
  const int root = round % world_size;
  int rank = 0;
  MUST(MPI_Comm_rank(comm, &rank));
  for (int at = 0; at < count; ++at) {
    doubles[at] = ldexp((double)brought(world_rank, at, round, 53), UNIT);
    floats[at] = ldexpf((float)brought(world_rank, at, round, 24), UNIT);
  }
  context("MPI_Allreduce of %d in round %d", count, round);
  MUST(MPI_Allreduce(doubles, sums, count, MPI_DOUBLE, MPI_SUM, comm));
  check_doubles(sums, count, round);
  context("MPI_Reduce of %d in round %d", count, round);
  MUST(MPI_Reduce(floats, short_sums, count, MPI_FLOAT, MPI_SUM, root, comm));
  if (rank == root)
    check_floats(short_sums, count, round);
  context("MPI_Iallreduce in place and MPI_Ireduce of %d in round %d", count, round);
  memcpy(short_sums, floats, sizeof floats);
  MUST(MPI_Iallreduce(MPI_IN_PLACE, short_sums, count, MPI_FLOAT, MPI_SUM, comm, &requests[0]));
  MUST(MPI_Ireduce(doubles, sums, count, MPI_DOUBLE, MPI_SUM, root, comm, &requests[1]));
  MUST(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  check_floats(short_sums, count, round);
  if (rank == root)
    check_doubles(sums, count, round);
#if HAVE_PERSISTENT_COLLECTIVES && defined(OPEN_MPI)
  if (round % 5 == 0)
    check_persistent(comm, count, round, doubles);
#endif
}

int main(int argc, char** argv) {
  MPI_Comm reversed;
  const int counts[] = {1, 2, 3, 16, 20, 21, MOST};
  begin(&argc, &argv, MPI_THREAD_SINGLE);
  MUST(MPI_Comm_split(MPI_COMM_WORLD, 0, world_size - world_rank, &reversed));
  for (int round = 0; round < ROUNDS; ++round)
    check_round(round % 3 == 2 ? reversed : MPI_COMM_WORLD, counts[round % 7], round);
  MUST(MPI_Comm_free(&reversed));
  if (world_rank == 0)
    puts("passed exact_sums");
  end();
  return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* blocks TURNS [FILE]: gathers, all-gathers and scatters of blocks that cards put together or relay, and of
 * some that they do not, at all roots, in datatypes with gaps, in place, blocking and not. FILE, 8 KiB of
 * zeros that all hosts see, tells ranks how far the others are without MPI. */

#include <fcntl.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST = 24000, RANKS = 16, MANY = 20, LONG = 24 };

static int rank, size, wrong;
static unsigned char own[MOST + 8], all[RANKS * MOST + 8];

static unsigned char byte_of(int of_rank, int turn, int at) {
  return (unsigned char)(of_rank * 67 + turn * 131 + at * 7 + at / 251 + 1);
}

static void fill(unsigned char* bytes, int length, int of_rank, int turn) {
  for (int i = 0; i < length; ++i)
    bytes[i] = byte_of(of_rank, turn, i);
}

static void check(const unsigned char* bytes, int length, int of_rank, int turn) {
  for (int i = 0; i < length; ++i)
    if (bytes[i] != byte_of(of_rank, turn, i)) {
      ++wrong;
      return;
    }
}

/* Nothing is written behind the end, and nothing at all where nothing is to come. */
static void check_all(int length, int is_mine, int turn) {
  for (int other = 0; other < size && is_mine; ++other)
    check(all + other * length, length, other, turn);
  for (int i = is_mine ? size * length : 0; i < size * length + 8; ++i)
    wrong += all[i] != 0xaa;
}

static void one_of_each(int length, int root, int turn) {
  fill(own, length, rank, turn);
  memset(all, 0xaa, sizeof all);
  MPI_Allgather(own, length, MPI_BYTE, all, length, MPI_BYTE, MPI_COMM_WORLD);
  check_all(length, 1, turn);
  memset(all, 0xaa, sizeof all);
  MPI_Gather(own, length, MPI_BYTE, all, length, MPI_BYTE, root, MPI_COMM_WORLD);
  check_all(length, rank == root, turn);
  for (int other = 0; other < size; ++other)
    fill(all + other * length, length, other, turn + 1);
  memset(own, 0xaa, sizeof own);
  MPI_Scatter(all, length, MPI_BYTE, own, length, MPI_BYTE, root, MPI_COMM_WORLD);
  check(own, length, rank, turn + 1);
  for (int i = 0; i < 8; ++i)
    wrong += own[length + i] != 0xaa;
}

static void in_place(int length, int root, int turn) {
  memset(all, 0xaa, sizeof all);
  fill(all + rank * length, length, rank, turn);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_BYTE, all, length, MPI_BYTE, MPI_COMM_WORLD);
  check_all(length, 1, turn);
  fill(own, length, rank, turn);
  memset(all, 0xaa, sizeof all);
  fill(all + root * length, rank == root ? length : 0, root, turn);
  MPI_Gather(rank == root ? MPI_IN_PLACE : own, length, MPI_BYTE, all, length, MPI_BYTE, root,
             MPI_COMM_WORLD);
  check_all(length, rank == root, turn);
  for (int other = 0; other < size; ++other)
    fill(all + other * length, length, other, turn + 1);
  MPI_Scatter(all, length, MPI_BYTE, rank == root ? MPI_IN_PLACE : own, length, MPI_BYTE, root,
              MPI_COMM_WORLD);
  check(rank == root ? all + rank * length : own, length, rank, turn + 1);
}

/* Every second integer, on one side and on the other; the ranks' blocks are interlaced. */
static void with_gaps(int root, int turn) {
  MPI_Datatype gaps, next;
  int row[2] = {turn + rank, turn - rank}, spread[4 * RANKS];
  MPI_Type_vector(2, 1, 2, MPI_INT, &gaps);
  MPI_Type_create_resized(gaps, 0, 4 * sizeof(int), &next);
  MPI_Type_commit(&next);
  memset(spread, 0, sizeof spread);
  MPI_Allgather(row, 2, MPI_INT, spread, 1, next, MPI_COMM_WORLD);
  for (int other = 0; other < size; ++other)
    wrong +=
        spread[4 * other] != turn + other || spread[4 * other + 2] != turn - other || spread[4 * other + 1];
  row[0] = row[1] = 0;
  MPI_Scatter(spread, 1, next, row, 2, MPI_INT, root, MPI_COMM_WORLD);
  wrong += row[0] != turn + rank || row[1] != turn - rank;
  memset(spread, 0, sizeof spread);
  MPI_Gather(row, 2, MPI_INT, spread, 1, next, root, MPI_COMM_WORLD);
  for (int other = 0; other < size && rank == root; ++other)
    wrong +=
        spread[4 * other] != turn + other || spread[4 * other + 2] != turn - other || spread[4 * other + 1];
  MPI_Type_free(&next);
  MPI_Type_free(&gaps);
}

/* Begun in a row, ended in any order; a blocking one in between. The type is gone by then. */
static void many_at_once(int turn) {
  static int brought[MANY][LONG], rows[MANY][LONG * RANKS], scattered[MANY][RANKS], parts[MANY];
  MPI_Request requests[2 * MANY];
  for (int i = 0; i < MANY; ++i) {
    MPI_Datatype row;
    MPI_Type_contiguous(LONG, MPI_INT, &row);
    MPI_Type_commit(&row);
    for (int at = 0; at < LONG; ++at)
      brought[i][at] = (turn + i) * at + rank;
    for (int other = 0; other < size; ++other)
      scattered[i][other] = turn * i + other;
    MPI_Iallgather(brought[i], 1, row, rows[i], 1, row, MPI_COMM_WORLD, &requests[2 * i]);
    MPI_Type_free(&row);
    MPI_Iscatter(rank == 0 ? scattered[i] : NULL, 1, MPI_INT, &parts[i], 1, MPI_INT, 0, MPI_COMM_WORLD,
                 &requests[2 * i + 1]);
    if (i == MANY / 2)
      one_of_each(3, turn % size, turn);
  }
  for (int i = 0; i < 2 * MANY; ++i)
    MPI_Wait(&requests[(i * 7 + rank) % (2 * MANY)], MPI_STATUS_IGNORE);
  for (int i = 0; i < MANY; ++i)
    wrong += parts[i] != turn * i + rank;
  for (int i = 0; i < MANY; ++i)
    for (int at = 0; at < size * LONG; ++at)
      wrong += rows[i][at] != (turn + i) * (at % LONG) + at / LONG;
}

/* All blocks come while nobody calls MPI. A look finds them; a second one is for a machine that is busy. */
static int end_while_all_compute(const char* name) {
  const int file = open(name, O_RDWR);
  _Atomic int* const entered = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  MPI_Request requests[3];
  int flag = 0, brought = rank + 1, rows[RANKS] = {0}, roots[RANKS] = {0}, part = 0, parts[RANKS];
  for (int other = 0; other < size; ++other)
    parts[other] = other + 1;
  MPI_Iallgather(&brought, 1, MPI_INT, rows, 1, MPI_INT, MPI_COMM_WORLD, &requests[0]);
  MPI_Igather(&brought, 1, MPI_INT, roots, 1, MPI_INT, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Iscatter(parts, 1, MPI_INT, &part, 1, MPI_INT, 0, MPI_COMM_WORLD, &requests[2]);
  ++entered[0];
  while (entered[0] < size)
    usleep(1000);
  for (int looks = 0; looks < 2 && !flag; ++looks) {
    usleep(300000);
    MPI_Testall(3, requests, &flag, MPI_STATUSES_IGNORE);
  }
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  wrong += part != rank + 1;
  for (int other = 0; other < size; ++other)
    wrong += rows[other] != other + 1 || roots[other] != (rank == 0 ? other + 1 : 0);
  return flag;
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int turns = atoi(words[1]);
  const int lengths[] = {1, 3, 8, 1024 / size, 1024 / size + 1, 0, 8192 / size, 8192 / size + 1, 1408, MOST};
  for (int turn = 0; turn < turns; ++turn) {
    const int length = lengths[turn % 10], root = turn / 10 % size;
    if (turn % 5 == 4 && rank == turn % size)
      usleep(2000);
    one_of_each(length, root, turn);
    if (turn % 3 == 0)
      in_place(length, root, turn);
    if (turn % 4 == 2)
      with_gaps(root, turn);
    if (turn % 16 == 7)
      many_at_once(turn);
  }
  int found[2] = {wrong, 1}, sums[2];
  if (count > 2)
    found[1] = end_while_all_compute(words[2]);
  MPI_Reduce(found, sums, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("wrong %d, %s while all computed\n", sums[0], sums[1] == size ? "ended" : "not ended");
  MPI_Finalize();
  return 0;
}

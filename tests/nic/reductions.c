/* SPDX-License-Identifier: BSD-3-Clause */
/* reductions TURNS: whatever cards combine, and what they leave to the engine, against what C makes of all
 * ranks' numbers: MPI_Reduce_local of Open MPI 4 does not let rows of short integers go round. Which number
 * is the largest the library says, as Open MPI 4 compares unsigned long with a sign. Floating-point sums are
 * printed: they have to be those of the same schedule on the engine. */

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 260, PAIRS = 20 };

static int rank, size, wrong;

static uint64_t mixed(uint64_t seed) {
  seed = (seed ^ seed >> 31) * 0x9e3779b97f4a7c15U;
  return (seed ^ seed >> 29) * 0xbf58476d1ce4e5b9U ^ seed >> 32;
}

/* The bytes that a rank brings; of pairs the ints are small. */
static void fill(unsigned char* bytes, int length, int of_rank, int turn) {
  for (int i = 0; i < length; ++i)
    bytes[i] = (unsigned char)mixed((uint64_t)(of_rank * 7919 + turn) * 1009 + (uint64_t)i);
}

enum operation { SUM, PROD, MIN, MAX, BAND, BOR, BXOR };

#define DEFINE_COMBINE(name, type)                                                                           \
  static void name(const void* from, void* into, int count, int op) {                                        \
    const type* const a = from;                                                                              \
    type* const b = into;                                                                                    \
    for (int i = 0; i < count; ++i)                                                                          \
      switch (op) {                                                                                          \
      case SUM:                                                                                              \
        b[i] = (type)((uint64_t)a[i] + (uint64_t)b[i]);                                                      \
        break;                                                                                               \
      case PROD:                                                                                             \
        b[i] = (type)((uint64_t)a[i] * (uint64_t)b[i]);                                                      \
        break;                                                                                               \
      case BAND:                                                                                             \
        b[i] &= a[i];                                                                                        \
        break;                                                                                               \
      case BOR:                                                                                              \
        b[i] |= a[i];                                                                                        \
        break;                                                                                               \
      default:                                                                                               \
        b[i] ^= a[i];                                                                                        \
      }                                                                                                      \
  }

DEFINE_COMBINE(combine_signed_char, signed char)
DEFINE_COMBINE(combine_short, short)
DEFINE_COMBINE(combine_int, int)
DEFINE_COMBINE(combine_long, long)
DEFINE_COMBINE(combine_unsigned_char, unsigned char)
DEFINE_COMBINE(combine_unsigned_short, unsigned short)
DEFINE_COMBINE(combine_unsigned, unsigned)
DEFINE_COMBINE(combine_unsigned_long, unsigned long)

struct type {
  MPI_Datatype handle;
  int bytes;
  void (*combine)(const void* from, void* into, int count, int op);
};

static void check(struct type known, int which, int count, int turn) {
  _Alignas(16) unsigned char own[MOST * 8], result[MOST * 8], expected[MOST * 8];
  const MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_BAND, MPI_BOR, MPI_BXOR};
  const MPI_Datatype type = known.handle;
  const MPI_Op op = ops[which];
  const int bytes = count * known.bytes;
  fill(expected, bytes, 0, turn);
  for (int other = 1; other < size; ++other) {
    fill(own, bytes, other, turn);
    if (which == MIN || which == MAX)
      MPI_Reduce_local(own, expected, count, type, op);
    else
      known.combine(own, expected, count, which);
  }
  fill(own, bytes, rank, turn);
  memset(result, 0, sizeof result);
  MPI_Allreduce(own, result, count, type, op, MPI_COMM_WORLD);
  wrong += memcmp(result, expected, (size_t)bytes) != 0;
  const int root = turn % size;
  memset(result, 0, sizeof result);
  if (rank == root) {
    memcpy(result, own, (size_t)bytes);
    MPI_Reduce(MPI_IN_PLACE, result, count, type, op, root, MPI_COMM_WORLD);
    wrong += memcmp(result, expected, (size_t)bytes) != 0;
  } else {
    MPI_Reduce(own, NULL, count, type, op, root, MPI_COMM_WORLD);
  }
}

/* Where the least is, of few different values, so that several ranks have it. */
static void check_located(int turn) {
  struct {
    double value;
    int where;
  } own[PAIRS], least[PAIRS], most[PAIRS];
  int least_where[PAIRS], most_where[PAIRS];
  for (int i = 0; i < PAIRS; ++i) {
    double best = 10, worst = -10;
    for (int other = 0; other < size; ++other) {
      const double value = (double)(mixed((uint64_t)(other * 31 + turn * 7 + i)) % 3) - 1.5;
      if (value < best) {
        best = value;
        least_where[i] = other;
      }
      if (value > worst) {
        worst = value;
        most_where[i] = other;
      }
      if (other == rank) {
        own[i].value = value;
        own[i].where = other;
      }
    }
  }
  MPI_Allreduce(own, least, PAIRS, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
  MPI_Allreduce(own, most, PAIRS, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
  for (int i = 0; i < PAIRS; ++i)
    wrong += least[i].where != least_where[i] || most[i].where != most_where[i];
}

/* Sums and products whose bits depend on the order; all ranks print the same, and so must the engine. */
static uint64_t floating(int turn) {
  double own[4], sum[4], product[4];
  float short_own[4], short_sum[4];
  for (int i = 0; i < 4; ++i) {
    const uint64_t bits = mixed((uint64_t)(rank * 4 + i) * 131 + (uint64_t)turn);
    own[i] = ((double)(int64_t)bits) * (i % 2 == 0 ? 1e-18 : 1e290);
    short_own[i] = (float)own[i] * (i == 3 ? 1e-30f : 1.0f);
  }
  MPI_Allreduce(own, sum, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(own, product, 4, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD);
  MPI_Allreduce(short_own, short_sum, 4, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  uint64_t digest = 0, word = 0;
  uint32_t half = 0;
  for (int i = 0; i < 4; ++i) {
    memcpy(&word, &sum[i], sizeof word);
    digest = mixed(digest ^ word);
    memcpy(&word, &product[i], sizeof word);
    digest = mixed(digest ^ word);
    memcpy(&half, &short_sum[i], sizeof half);
    digest = mixed(digest ^ half);
  }
  return digest;
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const struct type types[] = {{MPI_SIGNED_CHAR, 1, combine_signed_char},
                               {MPI_SHORT, 2, combine_short},
                               {MPI_INT, 4, combine_int},
                               {MPI_LONG, 8, combine_long},
                               {MPI_UNSIGNED_CHAR, 1, combine_unsigned_char},
                               {MPI_UNSIGNED_SHORT, 2, combine_unsigned_short},
                               {MPI_UNSIGNED, 4, combine_unsigned},
                               {MPI_UNSIGNED_LONG, 8, combine_unsigned_long}};
  const int counts[] = {1, 2, 8, 9, 32, 33, 256, MOST}; /* cards take 256 at most, in packets of 32 */
  const int turns = atoi(words[1]);
  uint64_t digest = 0;
  for (int turn = 0; turn < turns; ++turn) {
    check(types[turn % 8], turn % 7, counts[turn / 8 % 8], turn);
    if (turn % 8 == 0)
      check_located(turn);
    digest = mixed(digest ^ floating(turn));
  }
  uint64_t same[2] = {digest, ~digest};
  MPI_Allreduce(MPI_IN_PLACE, same, 2, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
  wrong += same[0] != digest || same[1] != ~digest;
  int all_wrong = 0;
  MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("wrong %d digest %016llx\n", all_wrong, (unsigned long long)digest);
  MPI_Finalize();
  return 0;
}

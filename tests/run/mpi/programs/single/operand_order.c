/* SPDX-License-Identifier: BSD-3-Clause */
// Operators that commute, but for bits: what comes out where numbers are NaNs with different payloads or
// zeros of both signs, or where products of complex numbers are rounded, tells the order of the operands.
// Whole numbers tell whose arithmetic it was: libraries order some without a sign as if they had one, and
// some saturate short sums.
//
// Each check is repeated, which lets Thalweg learn. With --agree all ranks of an all-reduce must have the
// same bits. Rank 0 prints a hash of each check's results on all ranks, for comparison with those of another
// run.
#include "check.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 3000, BYTES_MAX = 32, REPETITIONS = 4 };

static bool must_agree;
static MPI_Op user = MPI_OP_NULL;

// How the numbers of a datatype lie: `numbers` of so many bytes each, then an int at `place`, if any.
typedef struct {
  const char* name;
  MPI_Datatype type;
  size_t bytes, number_bytes;
  int numbers;
  size_t place;
} Kind;

// Bytes of long double that count; others are padding.
static size_t meant(size_t number_bytes) {
  return number_bytes == sizeof(long double) && LDBL_MANT_DIG == 64 ? 10 : number_bytes;
}

// One of the numbers that tell the order, or an ordinary one.
static void put_number(unsigned char* to, size_t bytes, uint64_t dice) {
  const int special = (int)(dice % 8);
  const bool negative = dice >> 8 & 1;
  const double ordinary = ldexp((double)(int64_t)(mix(dice) >> 11) - 0x1p52, -50);
  double value = special == 0   ? (negative ? -0.0 : 0.0)
                 : special == 1 ? (negative ? -INFINITY : INFINITY)
                                : ordinary;
  const uint64_t payload = dice >> 16 & 0xfff;
  if (bytes == sizeof(float)) {
    const float number = (float)value;
    const uint32_t none = 0x7fc00000U | (uint32_t)payload | (uint32_t)negative << 31;
    memcpy(to, special >= 6 ? (const void*)&none : (const void*)&number, bytes);
  } else if (bytes == sizeof(double)) {
    const uint64_t none = 0x7ff8000000000000U | payload | (uint64_t)negative << 63;
    memcpy(to, special >= 6 ? (const void*)&none : (const void*)&value, bytes);
  } else {
    const uint64_t none = 0x7ff8000000000000U | payload | (uint64_t)negative << 63;
    if (special >= 6)
      memcpy(&value, &none, sizeof value);
    const long double number = value;
    memcpy(to, &number, bytes);
  }
}

static void fill(const Kind* kind, unsigned char* data, int count, uint64_t seed) {
  memset(data, 0, (size_t)count * kind->bytes);
  for (int i = 0; i < count; ++i) {
    unsigned char* element = data + (size_t)i * kind->bytes;
    for (int k = 0; k < kind->numbers; ++k) {
      const uint64_t dice = mix(seed * 1000003 + (uint64_t)(i * 2 + k) * 64 + (uint64_t)world_rank);
      if (kind->place == 0 && kind->number_bytes < sizeof(float))
        memcpy(element, &dice, kind->number_bytes);
      else
        put_number(element + (size_t)k * kind->number_bytes, kind->number_bytes, dice);
    }
    if (kind->place != 0)
      memcpy(element + kind->place, &(int){world_rank}, sizeof(int));
  }
}

static uint64_t hash_bytes(uint64_t hash, const unsigned char* data, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    hash = (hash ^ data[i]) * 0x100000001b3U;
  return hash;
}

static uint64_t hash_of(const Kind* kind, const unsigned char* data, int count) {
  uint64_t hash = 0xcbf29ce484222325U;
  for (int i = 0; i < count; ++i) {
    const unsigned char* element = data + (size_t)i * kind->bytes;
    for (int k = 0; k < kind->numbers; ++k)
      hash = hash_bytes(hash, element + (size_t)k * kind->number_bytes, meant(kind->number_bytes));
    if (kind->place != 0)
      hash = hash_bytes(hash, element + kind->place, sizeof(int));
  }
  return hash;
}

// Says that it commutes and does not: what it makes of two words tells which came first.
static void record(void* in, void* inout, int* length, MPI_Datatype* type) {
  uint64_t *left = in, *right = inout;
  (void)type;
  for (int i = 0; i < 2 * *length; ++i)
    right[i] = mix(left[i] * 3 + right[i]);
}

typedef enum {
  OUT_OF_PLACE,
  IN_PLACE,
  NONBLOCKING,
  PERSISTENT,
  REDUCE,
  SCATTER_BLOCK,
  SCATTER,
  SCAN,
  EXSCAN
} Form;
static const char* const form_names[] = {
    "MPI_Allreduce", "MPI_Allreduce in place",   "MPI_Iallreduce",     "persistent",
    "MPI_Reduce",    "MPI_Reduce_scatter_block", "MPI_Reduce_scatter", "MPI_Scan",
    "MPI_Exscan"};

static void call(Form form, const void* own, void* result, int count, MPI_Datatype type, MPI_Op op,
                 int root) {
  MPI_Request request;
  int counts[64];
  switch (form) {
  case OUT_OF_PLACE:
    MUST(MPI_Allreduce(own, result, count, type, op, MPI_COMM_WORLD));
    break;
  case IN_PLACE:
    MUST(MPI_Allreduce(MPI_IN_PLACE, result, count, type, op, MPI_COMM_WORLD));
    break;
  case NONBLOCKING:
    MUST(MPI_Iallreduce(own, result, count, type, op, MPI_COMM_WORLD, &request));
    MUST(MPI_Wait(&request, MPI_STATUS_IGNORE));
    break;
  case PERSISTENT:
#if HAVE_PERSISTENT_COLLECTIVES
    MUST(MPI_Allreduce_init(own, result, count, type, op, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
    MUST(MPI_Start(&request));
    MUST(MPI_Wait(&request, MPI_STATUS_IGNORE));
    MUST(MPI_Request_free(&request));
#else
    MUST(MPI_Allreduce(own, result, count, type, op, MPI_COMM_WORLD));
#endif
    break;
  case REDUCE:
    MUST(MPI_Reduce(own, result, count, type, op, root, MPI_COMM_WORLD));
    break;
  case SCATTER_BLOCK:
    MUST(MPI_Reduce_scatter_block(own, result, count / world_size, type, op, MPI_COMM_WORLD));
    break;
  case SCATTER:
    for (int rank = 0; rank < world_size; ++rank)
      counts[rank] = count / world_size;
    MUST(MPI_Reduce_scatter(own, result, counts, type, op, MPI_COMM_WORLD));
    break;
  case SCAN:
    MUST(MPI_Scan(own, result, count, type, op, MPI_COMM_WORLD));
    break;
  case EXSCAN:
    MUST(MPI_Exscan(own, result, count, type, op, MPI_COMM_WORLD));
    break;
  }
}

// How many elements of the result a rank has.
static int results(Form form, int count, int root) {
  if (form == REDUCE)
    return world_rank == root ? count : 0;
  if (form == EXSCAN)
    return world_rank == 0 ? 0 : count;
  return form == SCATTER_BLOCK || form == SCATTER ? count / world_size : count;
}

// Whether strategies run the call. MPICH runs persistent ones by itself, and every library what a program's
// operator does later.
static bool is_ours(Form form, MPI_Op op) {
#ifdef OPEN_MPI
  return form <= IN_PLACE || (form <= PERSISTENT && op != user);
#else
  return form <= IN_PLACE || (form == NONBLOCKING && op != user);
#endif
}

static void check_agreement(uint64_t hash) {
  uint64_t first = hash;
  MUST(MPI_Bcast(&first, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD));
  REQUIRE(hash == first, "the result's bits are not rank 0's");
}

static void check(const Kind* kind, MPI_Op op, const char* op_name, int count, Form form) {
  static unsigned char own[MOST * BYTES_MAX], result[MOST * BYTES_MAX];
  const int root = count % world_size;
  uint64_t hashes[64] = {0};
  uint64_t all = 0xcbf29ce484222325U;
  context("%s of %d %s, %s", form_names[form], count, kind->name, op_name);
  for (int repetition = 0; repetition < REPETITIONS; ++repetition) {
    fill(kind, own, count, (uint64_t)(count + repetition % 2));
    memset(result, 0, sizeof result);
    if (form == IN_PLACE)
      memcpy(result, own, (size_t)count * kind->bytes);
    call(form, own, result, count, kind->type, op, root);
    const uint64_t hash = hash_of(kind, result, results(form, count, root));
    if (must_agree && is_ours(form, op))
      check_agreement(hash);
    all = hash_bytes(all, (const unsigned char*)&hash, sizeof hash);
  }
  MUST(MPI_Gather(&all, 1, MPI_UINT64_T, hashes, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD));
  if (world_rank == 0)
    printf("%s of %d %s, %s: %016llx\n", form_names[form], count, kind->name, op_name,
           (unsigned long long)hash_bytes(0, (const unsigned char*)hashes, sizeof hashes));
}

static void check_all_forms(const Kind* kind, MPI_Op op, const char* op_name) {
  for (Form form = OUT_OF_PLACE; form <= PERSISTENT; ++form) {
    check(kind, op, op_name, 1, form);
    check(kind, op, op_name, 17, form);
    check(kind, op, op_name, MOST, form);
  }
  for (Form form = REDUCE; form <= EXSCAN; ++form)
    check(kind, op, op_name, 5 * world_size, form);
}

#define PLAIN(c, mpi)                                                                                        \
  { #mpi, mpi, sizeof(c), sizeof(c), 1, 0 }
#define PAIR(c, mpi)                                                                                         \
  {                                                                                                          \
#mpi, mpi, sizeof(struct {                                                                               \
      c value;                                                                                               \
      int place;                                                                                             \
    }),                                                                                                      \
        sizeof(c), 1,                                                                                        \
        offsetof(                                                                                            \
            struct {                                                                                         \
              c value;                                                                                       \
              int place;                                                                                     \
            },                                                                                               \
            place)                                                                                           \
  }
#define TWO(c, mpi)                                                                                          \
  { #mpi, mpi, 2 * sizeof(c), sizeof(c), 2, 0 }

#define CHECK(kind, op) check_all_forms(kind, op, #op)

int main(int argc, char** argv) {
  begin(&argc, &argv, MPI_THREAD_SINGLE);
  must_agree = argc > 1 && strcmp(argv[1], "--agree") == 0;
  const Kind plain[] = {PLAIN(double, MPI_DOUBLE), PLAIN(float, MPI_FLOAT),
                        PLAIN(long double, MPI_LONG_DOUBLE), PLAIN(float, MPI_REAL),
                        PLAIN(double, MPI_DOUBLE_PRECISION)};
  const Kind whole[] = {PLAIN(unsigned char, MPI_UNSIGNED_CHAR), PLAIN(short, MPI_SHORT),
                        PLAIN(unsigned, MPI_UNSIGNED), PLAIN(unsigned long, MPI_UNSIGNED_LONG)};
  const Kind pairs[] = {PAIR(double, MPI_DOUBLE_INT), PAIR(float, MPI_FLOAT_INT),
                        PAIR(long double, MPI_LONG_DOUBLE_INT), PAIR(short, MPI_SHORT_INT)};
  const Kind complexes[] = {TWO(float, MPI_C_FLOAT_COMPLEX), TWO(double, MPI_C_DOUBLE_COMPLEX),
                            TWO(long double, MPI_C_LONG_DOUBLE_COMPLEX)};
  for (size_t i = 0; i < sizeof plain / sizeof *plain; ++i) {
    CHECK(&plain[i], MPI_MAX);
    CHECK(&plain[i], MPI_MIN);
    CHECK(&plain[i], MPI_SUM);
    CHECK(&plain[i], MPI_PROD);
  }
  for (size_t i = 0; i < sizeof whole / sizeof *whole; ++i) {
    CHECK(&whole[i], MPI_MAX);
    CHECK(&whole[i], MPI_SUM);
  }
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i) {
    CHECK(&pairs[i], MPI_MAXLOC);
    CHECK(&pairs[i], MPI_MINLOC);
  }
  for (size_t i = 0; i < sizeof complexes / sizeof *complexes; ++i) {
    CHECK(&complexes[i], MPI_SUM);
    CHECK(&complexes[i], MPI_PROD);
  }
  Kind words = TWO(uint64_t, MPI_DATATYPE_NULL);
  words.name = "pairs of words";
  MUST(MPI_Type_contiguous(2, MPI_UINT64_T, &words.type));
  MUST(MPI_Type_commit(&words.type));
  MUST(MPI_Op_create(record, 1, &user));
  check_all_forms(&words, user, "a program's own operator");
  MUST(MPI_Op_free(&user));
  MUST(MPI_Type_free(&words.type));
  if (world_rank == 0)
    puts("passed operand_order");
  end();
  return 0;
}

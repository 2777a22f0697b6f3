/* SPDX-License-Identifier: BSD-3-Clause */
/* user_operators TURNS: reductions with operators of the program's own, which agents may have, against what
 * their functions make of all ranks' elements. One has no such operator behind its name, one does not
 * commute, and one has no name: these are left to hosts. */

#include "operators/matrix_product.c"
#include "operators/saturating_sum.c"

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <thalweg/nic.h>

enum { MOST = 70, PRIME = 2147483647, BYTES = 32 };

static int rank, size, wrong;

static uint64_t mixed(uint64_t seed) {
  seed = (seed ^ seed >> 31) * 0x9e3779b97f4a7c15U;
  return (seed ^ seed >> 29) * 0xbf58476d1ce4e5b9U ^ seed >> 32;
}

static void multiply(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i)
    matrix_product((const thalweg_nic_word*)in + 4 * i, (thalweg_nic_word*)inout + 4 * i);
}

static void add(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) {
    thalweg_nic_word a[2] = {0, 0}, b[2] = {0, 0};
    memcpy(a, (char*)in + 12 * i, 12);
    memcpy(b, (char*)inout + 12 * i, 12);
    saturating_sum(a, b);
    memcpy((char*)inout + 12 * i, b, 12);
  }
}

/* Matrices a b, -b a commute; with `any` they need not. */
static void fill_matrices(unsigned char* bytes, int count, int of_rank, int turn, int any) {
  for (int i = 0; i < count; ++i) {
    uint64_t m[4];
    for (int k = 0; k < 4; ++k)
      m[k] = mixed((uint64_t)(of_rank * 7919 + turn) * 1009 + (uint64_t)(4 * i + k)) % PRIME;
    if (!any) {
      m[2] = (PRIME - m[1]) % PRIME;
      m[3] = m[0];
    }
    memcpy(bytes + BYTES * i, m, sizeof m);
  }
}

static void fill_numbers(unsigned char* bytes, int count, int of_rank, int turn) {
  for (int i = 0; i < 3 * count; ++i) {
    const uint32_t number = (uint32_t)mixed((uint64_t)(of_rank * 31 + turn) * 4001 + (uint64_t)i) >> i % 5;
    memcpy(bytes + 4 * i, &number, sizeof number);
  }
}

enum kind { COMMUTING, ANY, NUMBERS };

struct operator{
  MPI_Op op;
  MPI_Datatype type;
  int bytes;
  enum kind kind;
  MPI_User_function* function;
};

static void fill(const struct operator* with, unsigned char* bytes, int count, int of_rank, int turn) {
  if (with->kind == NUMBERS)
    fill_numbers(bytes, count, of_rank, turn);
  else
    fill_matrices(bytes, count, of_rank, turn, with->kind == ANY);
}

/* In the order of ranks. */
static void expect(struct operator* with, unsigned char* result, int count, int turn) {
  static unsigned char next[MOST * BYTES];
  fill(with, result, count, 0, turn);
  for (int other = 1; other < size; ++other) {
    fill(with, next, count, other, turn);
    with->function(result, next, &count, &with->type);
    memcpy(result, next, (size_t)(count * with->bytes));
  }
}

static void check(struct operator* with, int count, int turn) {
  static unsigned char own[MOST * BYTES], result[MOST * BYTES], expected[MOST * BYTES];
  const size_t bytes = (size_t)(count * with->bytes);
  const int root = turn % size;
  MPI_Request request;
  expect(with, expected, count, turn);
  fill(with, own, count, rank, turn);
  memset(result, 0, sizeof result);
  if (turn % 3 == 0)
    MPI_Iallreduce(own, result, count, with->type, with->op, MPI_COMM_WORLD, &request),
        MPI_Wait(&request, MPI_STATUS_IGNORE);
  else if (turn % 3 == 1)
    MPI_Allreduce(own, result, count, with->type, with->op, MPI_COMM_WORLD);
  else
    memcpy(result, own, bytes),
        MPI_Allreduce(MPI_IN_PLACE, result, count, with->type, with->op, MPI_COMM_WORLD);
  wrong += memcmp(result, expected, bytes) != 0;
  memset(result, 0, sizeof result);
  MPI_Reduce(own, result, count, with->type, with->op, root, MPI_COMM_WORLD);
  wrong += rank == root && memcmp(result, expected, bytes) != 0;
}

/* The operator is freed while a call with it is under way, and another one gets the next handle. */
static void check_freed(struct operator with, const char* name, int turn) {
  static unsigned char own[BYTES], result[BYTES], expected[BYTES];
  MPI_Request request;
  MPI_Op op, other;
  MPI_Op_create(with.function, 1, &op);
  wrong += thalweg_nic_operator(op, name) != thalweg_success;
  expect(&with, expected, 1, turn);
  fill(&with, own, 1, rank, turn);
  MPI_Iallreduce(own, result, 1, with.type, op, MPI_COMM_WORLD, &request);
  MPI_Op_free(&op);
  wrong += op != MPI_OP_NULL;
  MPI_Op_create(with.function, 1, &other);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  wrong += memcmp(result, expected, BYTES) != 0;
  MPI_Op_free(&other);
}

int main(int words, char** word) {
  static const int counts[] = {1, 2, 8, 9, 64, 65};
  MPI_Datatype matrix, numbers;
  MPI_Init(&words, &word);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Type_contiguous(4, MPI_UINT64_T, &matrix);
  MPI_Type_contiguous(3, MPI_UINT32_T, &numbers);
  MPI_Type_commit(&matrix);
  MPI_Type_commit(&numbers);
  struct operator with[] = {{MPI_OP_NULL, matrix, BYTES, COMMUTING, multiply},
                            {MPI_OP_NULL, numbers, 12, NUMBERS, add},
                            {MPI_OP_NULL, matrix, BYTES, COMMUTING, multiply},
                            {MPI_OP_NULL, matrix, BYTES, ANY, multiply},
                            {MPI_OP_NULL, matrix, BYTES, COMMUTING, multiply}};
  const char* const names[] = {"matrix_product", "saturating_sum", "endless", "matrix_product", NULL};
  const int kinds = sizeof names / sizeof *names;
  for (int i = 0; i < kinds; ++i) {
    MPI_Op_create(with[i].function, with[i].kind != ANY, &with[i].op);
    if (names[i] != NULL)
      wrong += thalweg_nic_operator(with[i].op, names[i]) != thalweg_success;
  }
  wrong += thalweg_nic_operator(MPI_SUM, "sum") != thalweg_error_invalid_argument;
  wrong += thalweg_nic_operator(with[4].op, "no name") != thalweg_error_invalid_argument;
  wrong += thalweg_nic_operator(with[0].op, "another_name") != thalweg_error_invalid_argument;
  wrong += thalweg_nic_operator(with[0].op, names[0]) != thalweg_success;
  const int turns = atoi(word[1]);
  for (int turn = 0; turn < turns; ++turn)
    check(&with[turn % kinds], counts[turn / kinds % 6], turn);
  for (int turn = 0; turn < 10; ++turn)
    check_freed(with[0], "matrix_product", turn);
  for (int i = 0; i < kinds; ++i)
    MPI_Op_free(&with[i].op);
  int all_wrong = 0;
  MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("wrong %d\n", all_wrong);
  MPI_Finalize();
  return 0;
}

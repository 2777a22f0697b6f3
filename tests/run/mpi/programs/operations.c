/* SPDX-License-Identifier: BSD-3-Clause */
#include "operations.h"

#include <string.h>

enum { MODULUS = 10007 };

static MPI_Op matrix_product, projection, modular_sum, predefined_sum, predefined_max;
static const Layout* expected_layout;

static void add(const int left[UNIT], const int right[UNIT], int result[UNIT]) {
  for (int i = 0; i < UNIT; ++i)
    result[i] = left[i] + right[i];
}

static void maximum(const int left[UNIT], const int right[UNIT], int result[UNIT]) {
  for (int i = 0; i < UNIT; ++i)
    result[i] = left[i] > right[i] ? left[i] : right[i];
}

static void add_modulo(const int left[UNIT], const int right[UNIT], int result[UNIT]) {
  for (int i = 0; i < UNIT; ++i)
    result[i] = (left[i] + right[i]) % MODULUS;
}

static void multiply(const int left[UNIT], const int right[UNIT], int result[UNIT]) {
  const int product[UNIT] = {(left[0] * right[0] + left[1] * right[2]) % MODULUS,
                             (left[0] * right[1] + left[1] * right[3]) % MODULUS,
                             (left[2] * right[0] + left[3] * right[2]) % MODULUS,
                             (left[2] * right[1] + left[3] * right[3]) % MODULUS};
  memcpy(result, product, sizeof product);
}

// Applies `combine` to `units` units of the layout as MPI's user functions do: inout := in op inout.
static void apply(void* in, void* inout, int units, const Layout* of,
                  void (*combine)(const int[UNIT], const int[UNIT], int[UNIT])) {
  for (int unit = 0; unit < units; ++unit) {
    int left[UNIT], right[UNIT];
    for (int i = 0; i < UNIT; ++i) {
      memcpy(&left[i], (char*)in + unit * of->extent + of->offsets[i], sizeof(int));
      memcpy(&right[i], (char*)inout + unit * of->extent + of->offsets[i], sizeof(int));
    }
    combine(left, right, right);
    for (int i = 0; i < UNIT; ++i)
      memcpy((char*)inout + unit * of->extent + of->offsets[i], &right[i], sizeof(int));
  }
}

// The handle that the function gets must be usable and describe what the call said.
static void check_type(MPI_Datatype type, const char* name) {
  int size = 0;
  MPI_Aint lower_bound = 0, extent = 0;
  MUST(MPI_Type_size(type, &size));
  MUST(MPI_Type_get_extent(type, &lower_bound, &extent));
  REQUIRE(size == UNIT * (int)sizeof(int) && extent == expected_layout->extent,
          "user operation %s got a type of size %d and extent %td instead of 16 and %td", name, size,
          (ptrdiff_t)extent, expected_layout->extent);
}

static void user_product(void* in, void* inout, int* length, MPI_Datatype* type) {
  check_type(*type, "matrix product");
  apply(in, inout, *length, expected_layout, multiply);
}

static void user_sum(void* in, void* inout, int* length, MPI_Datatype* type) {
  check_type(*type, "modular sum");
  apply(in, inout, *length, expected_layout, add_modulo);
}

// a op b = a: associative, not commutative, and wrong at once where the order is. Each int is an item of its
// own.
static void user_first(void* in, void* inout, int* length, MPI_Datatype* type) {
  REQUIRE(*type == MPI_INT, "user operation on MPI_INT got another type");
  memcpy(inout, in, (size_t)*length * sizeof(int));
}

static void first(const int left[UNIT], const int right[UNIT], int result[UNIT]) {
  (void)right;
  memmove(result, left, UNIT * sizeof(int));
}

static const Operation operations[OPERATION_COUNT] = {
    {"MPI_SUM of ints", &predefined_sum, true, true, add},
    {"user, commutative modular sum of units", &modular_sum, true, false, add_modulo},
    {"user, non-commutative matrix product of units", &matrix_product, false, false, multiply},
    {"MPI_MAX of ints", &predefined_max, true, true, maximum},
    {"user, non-commutative projection of ints", &projection, false, true, first},
};

void operations_make(void) {
  predefined_sum = MPI_SUM;
  predefined_max = MPI_MAX;
  MUST(MPI_Op_create(user_sum, 1, &modular_sum));
  MUST(MPI_Op_create(user_product, 0, &matrix_product));
  MUST(MPI_Op_create(user_first, 0, &projection));
}

void operations_free(void) {
  MUST(MPI_Op_free(&modular_sum));
  MUST(MPI_Op_free(&matrix_product));
  MUST(MPI_Op_free(&projection));
}

const Operation* operation(int index) {
  return &operations[index];
}

void operations_use(const Layout* of) {
  expected_layout = of;
}

static int contribution(int rank, uint64_t salt, ptrdiff_t unit, int element) {
  return (int)(mix(salt * 31 + (uint64_t)(rank * 7919) + (uint64_t)unit * 4 + (uint64_t)element) % 5000);
}

void operation_fill(Image* image, const Layout* of, ptrdiff_t units, int rank, uint64_t salt) {
  for (ptrdiff_t unit = 0; unit < units; ++unit)
    for (int element = 0; element < UNIT; ++element)
      image_put(image, of, 0, unit, element, contribution(rank, salt, unit, element));
}

void operation_expect(const Operation* of_case, Image* image, const Layout* of, ptrdiff_t offset,
                      ptrdiff_t units, ptrdiff_t skip, int first_rank, int last_rank, uint64_t salt) {
  for (ptrdiff_t unit = 0; unit < units; ++unit) {
    int result[UNIT], next[UNIT];
    for (int rank = first_rank; rank <= last_rank; ++rank) {
      for (int element = 0; element < UNIT; ++element)
        next[element] = contribution(rank, salt, unit + skip, element);
      if (rank == first_rank)
        memcpy(result, next, sizeof result);
      else
        of_case->combine(result, next, result);
    }
    for (int element = 0; element < UNIT; ++element)
      image_put(image, of, offset, unit, element, result[element]);
  }
}

void image_forget(Image* actual, const Image* expected, const Layout* of, ptrdiff_t from, ptrdiff_t to) {
  for (ptrdiff_t unit = from; unit < to; ++unit)
    for (int element = 0; element < UNIT; ++element)
      image_put(actual, of, 0, unit, element, image_get(expected, of, 0, unit, element));
}

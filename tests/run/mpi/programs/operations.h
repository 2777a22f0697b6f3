/* SPDX-License-Identifier: BSD-3-Clause */
// Reduction operations on units of four ints, with their results computed in C.
#pragma once

#include "layout.h"

enum { OPERATION_COUNT = 5 };

typedef struct {
  const char* name;
  MPI_Op* op;
  bool commutative;
  bool on_ints; // takes MPI_INT in multiples of UNIT, else whole units of any layout
  void (*combine)(const int left[UNIT], const int right[UNIT], int result[UNIT]);
} Operation;

void operations_make(void);
void operations_free(void);
const Operation* operation(int index);

// A user function gets addresses and a datatype only; it must be told which layout that is.
void operations_use(const Layout* of);

// Rank's contribution of so many units.
void operation_fill(Image* image, const Layout* of, ptrdiff_t units, int rank, uint64_t salt);
// Writes units [0, units) at `offset`: x[first] op ... op x[last] of the contributions' units from `skip` on.
void operation_expect(const Operation* operation, Image* image, const Layout* of, ptrdiff_t offset,
                      ptrdiff_t units, ptrdiff_t skip, int first, int last, uint64_t salt);
// Makes the units [from, to) equal in both, because MPI leaves them undefined.
void image_forget(Image* actual, const Image* expected, const Layout* of, ptrdiff_t from, ptrdiff_t to);

/* SPDX-License-Identifier: BSD-3-Clause */
// Types and operations of reductions with values whose results are exact, so that every order gives the same
// bytes.
#pragma once

#include "check.h"

// A predefined type with the bytes of an item that carry its value (pair types and long double have padding).
typedef struct {
  const char* name;
  MPI_Datatype type;
  int bytes;    // extent
  int parts[2]; // significant bytes are [0, parts[0]) and [second, second + parts[1])
  int second;
  enum { INTEGER, FLOATING, COMPLEX, LOGICAL, BYTES, PAIR } kind;
  void (*put)(void* item, int value, int index); // index: the second member of a pair
} ReduceType;

int reduce_type_count(void);
const ReduceType* reduce_type(int index);

int reduce_op_count(void);
MPI_Op reduce_op(int index);
const char* reduce_op_name(int index);
bool reduce_applies(int op_index, const ReduceType* type);

// Rank r's contribution in position i: small values, so that even products of 16 ranks fit.
void reduce_fill(const ReduceType* type, void* items, int count, int rank, uint64_t salt);
// into := x[first] op ... op x[last] in order of rank, by MPI_Reduce_local.
void reduce_expect(const ReduceType* type, MPI_Op op, void* into, int count, int first, int last,
                   uint64_t salt);
// Fails at the first item whose value differs.
void reduce_compare(const ReduceType* type, const void* actual, const void* expected, int count,
                    const char* what);

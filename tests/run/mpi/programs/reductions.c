/* SPDX-License-Identifier: BSD-3-Clause */
#include "reductions.h"

#include <complex.h>
#include <stdlib.h>
#include <string.h>

// One function per C type that stores a small number as this type.
#define PUT(name, ctype)                                                                                     \
  static void put_##name(void* item, int value, int index) {                                                 \
    (void)index;                                                                                             \
    const ctype stored = (ctype)value;                                                                       \
    memcpy(item, &stored, sizeof stored);                                                                    \
  }
#define PUT_PAIR(name, first)                                                                                \
  typedef struct {                                                                                           \
    first value;                                                                                             \
    int index;                                                                                               \
  } name;                                                                                                    \
  static void put_##name(void* item, int value, int index) {                                                 \
    const first stored = (first)value;                                                                       \
    memcpy(item, &stored, sizeof stored);                                                                    \
    memcpy((char*)item + offsetof(name, index), &index, sizeof index);                                       \
  }
PUT(schar, signed char)
PUT(uchar, unsigned char)
PUT(short, short)
PUT(ushort, unsigned short)
PUT(int, int)
PUT(unsigned, unsigned)
PUT(long, long)
PUT(ulong, unsigned long)
PUT(float, float)
PUT(double, double)
PUT(long_double, long double)
PUT(bool, _Bool)
PUT(fcomplex, float complex)
PUT(dcomplex, double complex)
PUT(ldcomplex, long double complex)
PUT_PAIR(int_int, int)
PUT_PAIR(short_int, short)
PUT_PAIR(long_int, long)
PUT_PAIR(float_int, float)
PUT_PAIR(double_int, double)
PUT_PAIR(long_double_int, long double)

enum { LONG_DOUBLE_BYTES = 10 }; // of x87's format; the rest of sizeof is padding
#define WHOLE(ctype) sizeof(ctype), {sizeof(ctype), 0}, 0
#define PARTS(pair, first_bytes) sizeof(pair), {first_bytes, sizeof(int)}, offsetof(pair, index)

static int fill_table(ReduceType* table) {
  const ReduceType all[] = {
      {"MPI_SIGNED_CHAR", MPI_SIGNED_CHAR, WHOLE(signed char), INTEGER, put_schar},
      {"MPI_UNSIGNED_CHAR", MPI_UNSIGNED_CHAR, WHOLE(unsigned char), INTEGER, put_uchar},
      {"MPI_SHORT", MPI_SHORT, WHOLE(short), INTEGER, put_short},
      {"MPI_UNSIGNED_SHORT", MPI_UNSIGNED_SHORT, WHOLE(unsigned short), INTEGER, put_ushort},
      {"MPI_INT", MPI_INT, WHOLE(int), INTEGER, put_int},
      {"MPI_UNSIGNED", MPI_UNSIGNED, WHOLE(unsigned), INTEGER, put_unsigned},
      {"MPI_LONG", MPI_LONG, WHOLE(long), INTEGER, put_long},
      {"MPI_UNSIGNED_LONG", MPI_UNSIGNED_LONG, WHOLE(unsigned long), INTEGER, put_ulong},
      {"MPI_LONG_LONG", MPI_LONG_LONG, WHOLE(long long), INTEGER, put_long},
      {"MPI_UNSIGNED_LONG_LONG", MPI_UNSIGNED_LONG_LONG, WHOLE(unsigned long long), INTEGER, put_ulong},
      {"MPI_INT8_T", MPI_INT8_T, WHOLE(int8_t), INTEGER, put_schar},
      {"MPI_INT16_T", MPI_INT16_T, WHOLE(int16_t), INTEGER, put_short},
      {"MPI_INT32_T", MPI_INT32_T, WHOLE(int32_t), INTEGER, put_int},
      {"MPI_INT64_T", MPI_INT64_T, WHOLE(int64_t), INTEGER, put_long},
      {"MPI_UINT8_T", MPI_UINT8_T, WHOLE(uint8_t), INTEGER, put_uchar},
      {"MPI_UINT16_T", MPI_UINT16_T, WHOLE(uint16_t), INTEGER, put_ushort},
      {"MPI_UINT32_T", MPI_UINT32_T, WHOLE(uint32_t), INTEGER, put_unsigned},
      {"MPI_UINT64_T", MPI_UINT64_T, WHOLE(uint64_t), INTEGER, put_ulong},
      {"MPI_AINT", MPI_AINT, WHOLE(MPI_Aint), INTEGER, put_long},
      {"MPI_OFFSET", MPI_OFFSET, WHOLE(MPI_Offset), INTEGER, put_long},
      {"MPI_COUNT", MPI_COUNT, WHOLE(MPI_Count), INTEGER, put_long},
      {"MPI_FLOAT", MPI_FLOAT, WHOLE(float), FLOATING, put_float},
      {"MPI_DOUBLE", MPI_DOUBLE, WHOLE(double), FLOATING, put_double},
      {"MPI_LONG_DOUBLE",
       MPI_LONG_DOUBLE,
       sizeof(long double),
       {LONG_DOUBLE_BYTES, 0},
       0,
       FLOATING,
       put_long_double},
      {"MPI_C_FLOAT_COMPLEX", MPI_C_FLOAT_COMPLEX, WHOLE(float complex), COMPLEX, put_fcomplex},
      {"MPI_C_DOUBLE_COMPLEX", MPI_C_DOUBLE_COMPLEX, WHOLE(double complex), COMPLEX, put_dcomplex},
      {"MPI_C_LONG_DOUBLE_COMPLEX",
       MPI_C_LONG_DOUBLE_COMPLEX,
       sizeof(long double complex),
       {LONG_DOUBLE_BYTES, LONG_DOUBLE_BYTES},
       sizeof(long double),
       COMPLEX,
       put_ldcomplex},
      {"MPI_C_BOOL", MPI_C_BOOL, WHOLE(_Bool), LOGICAL, put_bool},
      {"MPI_BYTE", MPI_BYTE, WHOLE(char), BYTES, put_uchar},
      {"MPI_2INT", MPI_2INT, PARTS(int_int, sizeof(int)), PAIR, put_int_int},
      {"MPI_SHORT_INT", MPI_SHORT_INT, PARTS(short_int, sizeof(short)), PAIR, put_short_int},
      {"MPI_LONG_INT", MPI_LONG_INT, PARTS(long_int, sizeof(long)), PAIR, put_long_int},
      {"MPI_FLOAT_INT", MPI_FLOAT_INT, PARTS(float_int, sizeof(float)), PAIR, put_float_int},
      {"MPI_DOUBLE_INT", MPI_DOUBLE_INT, PARTS(double_int, sizeof(double)), PAIR, put_double_int},
      {"MPI_LONG_DOUBLE_INT", MPI_LONG_DOUBLE_INT, PARTS(long_double_int, LONG_DOUBLE_BYTES), PAIR,
       put_long_double_int},
  };
  memcpy(table, all, sizeof all);
  return (int)(sizeof all / sizeof all[0]);
}

// Handles are no constants everywhere, so the table is filled at run time.
static ReduceType types[40];
static int type_count = 0;

int reduce_type_count(void) {
  if (type_count == 0)
    type_count = fill_table(types);
  return type_count;
}

const ReduceType* reduce_type(int index) {
  reduce_type_count();
  return &types[index];
}

static const char* const op_names[] = {"MPI_SUM",  "MPI_PROD", "MPI_MAX",    "MPI_MIN",
                                       "MPI_LAND", "MPI_LOR",  "MPI_LXOR",   "MPI_BAND",
                                       "MPI_BOR",  "MPI_BXOR", "MPI_MINLOC", "MPI_MAXLOC"};

int reduce_op_count(void) {
  return (int)(sizeof op_names / sizeof op_names[0]);
}

const char* reduce_op_name(int index) {
  return op_names[index];
}

MPI_Op reduce_op(int index) {
  const MPI_Op ops[] = {MPI_SUM,  MPI_PROD, MPI_MAX, MPI_MIN,  MPI_LAND,   MPI_LOR,
                        MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_MINLOC, MPI_MAXLOC};
  return ops[index];
}

bool reduce_applies(int op, const ReduceType* type) {
  switch (type->kind) {
  case INTEGER: {
    const bool address = type->type == MPI_AINT || type->type == MPI_OFFSET || type->type == MPI_COUNT;
    return op < 10 && !(address && known("logical-on-addresses") && op >= 4 && op < 7);
  }
  case FLOATING:
    return op < 4;
  case COMPLEX:
    return op < 2;
  case LOGICAL:
    return op >= 4 && op < 7;
  case BYTES:
    return op >= 7 && op < 10;
  case PAIR:
    return op >= 10;
  }
  return false;
}

void reduce_fill(const ReduceType* type, void* items, int count, int rank, uint64_t salt) {
  memset(items, 0x5a, (size_t)count * (size_t)type->bytes);
  for (int i = 0; i < count; ++i) {
    const uint64_t hash = mix(salt * 1009 + (uint64_t)(rank * 100003 + i));
    // Floating products must stay exact, bytes may be anything, and ties of pairs must be frequent.
    const int value = type->kind == BYTES     ? (int)(hash % 256)
                      : type->kind == LOGICAL ? (int)(hash % 2)
                                              : (int)(hash % 3);
    type->put((char*)items + (size_t)i * (size_t)type->bytes, value, (int)((hash >> 20) % 1000));
  }
}

void reduce_expect(const ReduceType* type, MPI_Op op, void* into, int count, int first, int last,
                   uint64_t salt) {
  void* next = malloc((size_t)count * (size_t)type->bytes + 1);
  reduce_fill(type, into, count, last, salt);
  for (int rank = last - 1; rank >= first; --rank) {
    reduce_fill(type, next, count, rank, salt);
    MUST(MPI_Reduce_local(next, into, count, type->type, op));
  }
  free(next);
}

void reduce_compare(const ReduceType* type, const void* actual, const void* expected, int count,
                    const char* what) {
  for (int i = 0; i < count; ++i) {
    const char* got = (const char*)actual + (size_t)i * (size_t)type->bytes;
    const char* wanted = (const char*)expected + (size_t)i * (size_t)type->bytes;
    if (memcmp(got, wanted, (size_t)type->parts[0]) == 0 &&
        memcmp(got + type->second, wanted + type->second, (size_t)type->parts[1]) == 0)
      continue;
    unsigned long long got_bits = 0, wanted_bits = 0;
    memcpy(&got_bits, got, type->bytes < 8 ? (size_t)type->bytes : 8);
    memcpy(&wanted_bits, wanted, type->bytes < 8 ? (size_t)type->bytes : 8);
    fail("%s: item %d of %d %s is wrong: got 0x%llx, expected 0x%llx (first bytes)", what, i, count,
         type->name, got_bits, wanted_bits);
  }
}

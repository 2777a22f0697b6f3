/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * What cards combine: contributions of a few words of 64 bits, word by word, or in pairs; or blocks, which
 * are put at their places in a row.
 *
 * Ranks turn their numbers into words. Integers are widened with their sign, so that all sizes are one; those
 * without a sign that need all 64 bits are moved by half their range where they are compared. Floating-point
 * numbers are their bits.
 */

#include "nic/floating_point.h"

enum thalweg_nic_lengths {
  THALWEG_NIC_PAIR = 2, /* words that are combined: none, or one of these lengths */
  THALWEG_NIC_FEW = 8,
  THALWEG_NIC_WORDS = 32,
  THALWEG_NIC_ROW = 128, /* the most words of blocks, and of sums of integers; of blocks any number */
};

/* What is done with two words; the names and numbers of the engine's Arithmetic. */
enum thalweg_nic_arithmetic {
  THALWEG_NIC_SUM,
  THALWEG_NIC_PRODUCT,
  THALWEG_NIC_MINIMUM,
  THALWEG_NIC_MAXIMUM,
  THALWEG_NIC_AND,
  THALWEG_NIC_OR,
  THALWEG_NIC_XOR,
  THALWEG_NIC_PLACE, /* blocks, and nothing is done with them */
};

/* What words are. An operation is a number's kind times 8, and the arithmetic. Located ones are pairs: a
 * number whose minimum or maximum is looked for, and where it is, of which the least comes out. */
enum thalweg_nic_number {
  THALWEG_NIC_INTEGER = 0,
  THALWEG_NIC_DOUBLE = 1,
  THALWEG_NIC_FLOAT = 2,
  THALWEG_NIC_ELEMENT = 3, /* of an operator of users, which the group knows (nic/packet.h) */
  THALWEG_NIC_LOCATED = 4, /* added to one of these */
};

/* What goes with an epoch: a contribution on its way up, the result on its way down. */
struct thalweg_nic_content {
  __u32 operation;
  __u16 count;     /* of words */
  __u16 first;     /* of blocks: where the first word is in the row */
  __u32 last;      /* of a contribution: the rank that came last to it, from 1 on; 0: not known */
  __u32 waited_us; /* how long the first one waited for that one */
  __u64 words[THALWEG_NIC_ROW];
};

/* How two numbers compare: less, equal, more; or one of them is none. */
enum thalweg_nic_comparison {
  THALWEG_NIC_LESS,
  THALWEG_NIC_EQUAL,
  THALWEG_NIC_MORE,
  THALWEG_NIC_UNORDERED,
};

/* A floating-point number as an integer that is ordered like it, the two zeros as one. */
THALWEG_NIC_INLINE __s64 thalweg_nic_ordered(__u64 number) {
  return number & THALWEG_NIC_SIGN ? (__s64)(THALWEG_NIC_SIGN - number) : (__s64)number;
}

THALWEG_NIC_INLINE enum thalweg_nic_comparison thalweg_nic_compare(__u32 number, __u64 a, __u64 b) {
  __s64 first = (__s64)a;
  __s64 second = (__s64)b;
  if (number != THALWEG_NIC_INTEGER) {
    a = number == THALWEG_NIC_FLOAT ? thalweg_nic_widen(a) : a;
    b = number == THALWEG_NIC_FLOAT ? thalweg_nic_widen(b) : b;
    if (thalweg_nic_is_nan(a) || thalweg_nic_is_nan(b))
      return THALWEG_NIC_UNORDERED;
    first = thalweg_nic_ordered(a);
    second = thalweg_nic_ordered(b);
  }
  if (first == second)
    return THALWEG_NIC_EQUAL;
  return first < second ? THALWEG_NIC_LESS : THALWEG_NIC_MORE;
}

/* What comes of two numbers: where the order matters, as in the engine (engine/reductions.hpp). */
THALWEG_NIC_FUNCTION __u64 thalweg_nic_result(__u32 operation, __u64 left, __u64 right) {
  const __u32 number = operation >> 3 & 3;
  switch (operation & 7) {
  case THALWEG_NIC_SUM:
    if (number == THALWEG_NIC_INTEGER)
      return left + right;
    if (number == THALWEG_NIC_DOUBLE)
      return thalweg_nic_add(left, right);
    return thalweg_nic_narrow(thalweg_nic_add(thalweg_nic_widen(left), thalweg_nic_widen(right)));
  case THALWEG_NIC_PRODUCT:
    if (number == THALWEG_NIC_INTEGER)
      return left * right;
    if (number == THALWEG_NIC_DOUBLE)
      return thalweg_nic_multiply(left, right);
    return thalweg_nic_narrow(thalweg_nic_multiply(thalweg_nic_widen(left), thalweg_nic_widen(right)));
  case THALWEG_NIC_MINIMUM:
    return thalweg_nic_compare(number, left, right) == THALWEG_NIC_LESS ? left : right;
  case THALWEG_NIC_MAXIMUM:
    return thalweg_nic_compare(number, left, right) == THALWEG_NIC_MORE ? left : right;
  case THALWEG_NIC_AND:
    return left & right;
  case THALWEG_NIC_OR:
    return left | right;
  case THALWEG_NIC_XOR:
    return left ^ right;
  default:
    return right;
  }
}

/* Where the minimum or maximum of `left` and `right` is; of equal ones where the first one is. */
THALWEG_NIC_FUNCTION __u64 thalweg_nic_where(__u32 operation, __u64 left, __u64 right, __u64 where_left,
                                             __u64 where_right) {
  const enum thalweg_nic_comparison found = thalweg_nic_compare(operation >> 3 & 3, left, right);
  if (found == THALWEG_NIC_EQUAL)
    return (__s64)where_left < (__s64)where_right ? where_left : where_right;
  return found == ((operation & 7) == THALWEG_NIC_MINIMUM ? THALWEG_NIC_LESS : THALWEG_NIC_MORE)
             ? where_left
             : where_right;
}

/* Lengths that are known where this is compiled keep the verifier's work small. Words beyond the count are 0.
 */
#define THALWEG_NIC_EACH(counted, step, action)                                                              \
  do {                                                                                                       \
    if ((counted)->count != 0)                                                                               \
      for (__u32 i = 0; i < THALWEG_NIC_PAIR; i += (step))                                                   \
        action;                                                                                              \
    if ((counted)->count > THALWEG_NIC_PAIR)                                                                 \
      for (__u32 i = THALWEG_NIC_PAIR; i < THALWEG_NIC_FEW; i += (step))                                     \
        action;                                                                                              \
    if ((counted)->count > THALWEG_NIC_FEW)                                                                  \
      for (__u32 i = THALWEG_NIC_FEW; i < THALWEG_NIC_WORDS; i += (step))                                    \
        action;                                                                                              \
  } while (0)

#define THALWEG_NIC_EACH_OF_ROW(counted, action)                                                             \
  do {                                                                                                       \
    THALWEG_NIC_EACH(counted, 1, action);                                                                    \
    if ((counted)->count > THALWEG_NIC_WORDS)                                                                \
      for (__u32 i = THALWEG_NIC_WORDS; i < THALWEG_NIC_ROW; ++i)                                            \
        action;                                                                                              \
  } while (0)

THALWEG_NIC_INLINE int thalweg_nic_has_blocks(const struct thalweg_nic_content* content) {
  return (content->operation & 7) == THALWEG_NIC_PLACE;
}

/* Does the order not matter, and is it so little work that a row of it may be long? */
THALWEG_NIC_INLINE int thalweg_nic_has_long_rows(const struct thalweg_nic_content* content) {
  return thalweg_nic_has_blocks(content) || content->operation == THALWEG_NIC_INTEGER * 8 + THALWEG_NIC_SUM;
}

/* The least length that a contribution of so many words can have that are combined. */
THALWEG_NIC_INLINE __u32 thalweg_nic_length(__u32 words) {
  if (words == 0)
    return 0;
  if (words <= THALWEG_NIC_PAIR)
    return THALWEG_NIC_PAIR;
  if (words <= THALWEG_NIC_FEW)
    return THALWEG_NIC_FEW;
  if (words <= THALWEG_NIC_WORDS)
    return THALWEG_NIC_WORDS;
  return words;
}

THALWEG_NIC_INLINE void thalweg_nic_copy(struct thalweg_nic_content* to,
                                         const struct thalweg_nic_content* from) {
  to->operation = from->operation;
  to->count = from->count;
  to->first = from->first;
  to->last = from->last;
  to->waited_us = from->waited_us;
  THALWEG_NIC_EACH_OF_ROW(from, to->words[i] = from->words[i]);
}

/* Before contributions with long rows are joined. */
THALWEG_NIC_INLINE void thalweg_nic_clear(struct thalweg_nic_content* row) {
  THALWEG_NIC_EACH_OF_ROW(row, row->words[i] = 0);
}

/* Puts blocks at their places in a part of the row that has room for them, or adds integers. Two blocks may
 * share a word. What goes round behind the row is 0. */
THALWEG_NIC_INLINE void thalweg_nic_join(struct thalweg_nic_content* into,
                                         const struct thalweg_nic_content* from) {
  const __u32 first = (__u32)from->first - into->first;
  if (thalweg_nic_has_blocks(into))
    THALWEG_NIC_EACH_OF_ROW(from, into->words[(first + i) & (THALWEG_NIC_ROW - 1)] |= from->words[i]);
  else
    THALWEG_NIC_EACH_OF_ROW(from, into->words[i] += from->words[i]);
}

/* What those before have brought is the left operand, as in the schedule. */
THALWEG_NIC_INLINE void thalweg_nic_combine(struct thalweg_nic_content* into,
                                            const struct thalweg_nic_content* from) {
  const __u32 operation = into->operation;
  if (operation >> 3 & THALWEG_NIC_LOCATED)
    THALWEG_NIC_EACH(into, 2, {
      into->words[i + 1] = thalweg_nic_where(operation, into->words[i], from->words[i], into->words[i + 1],
                                             from->words[i + 1]);
      into->words[i] = thalweg_nic_result(operation, into->words[i], from->words[i]);
    });
  else
    THALWEG_NIC_EACH(into, 1, into->words[i] = thalweg_nic_result(operation, into->words[i], from->words[i]));
}

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * Operators of users: places for functions, which agents fill in before they load the programs
 * (nic/operator_code.hpp). The verifier proves each by itself, as a function that anybody may call with any
 * two elements. So it sees these, and nothing else of the card's.
 */

#include "nic/programs/frame.h"

/* So many instructions are the place of each. They are weak, so that no compiler takes what they do for
 * known. */
#define SLOT(number)                                                                                         \
  __attribute__((noinline, weak)) int operator_##number(struct thalweg_nic_operands* all) {                  \
    int none;                                                                                                \
    asm volatile(".rept %1\n %0 = -1\n .endr"                                                                \
                 : "=r"(none)                                                                                \
                 : "i"(THALWEG_NIC_OPERATOR_INSTRUCTIONS - 1), "r"(all));                                    \
    return none;                                                                                             \
  }
SLOT(1)
SLOT(2)
SLOT(3)
SLOT(4)
SLOT(5)
SLOT(6)
SLOT(7)
SLOT(8)
#undef SLOT

static __always_inline int call_operator(__u32 slot, struct thalweg_nic_operands* all) {
  switch (slot) {
  case 1:
    return operator_1(all);
  case 2:
    return operator_2(all);
  case 3:
    return operator_3(all);
  case 4:
    return operator_4(all);
  case 5:
    return operator_5(all);
  case 6:
    return operator_6(all);
  case 7:
    return operator_7(all);
  case THALWEG_NIC_OPERATORS:
    return operator_8(all);
  default:
    return -1;
  }
}

/* Combines what a contributor has brought with what those before it have: the left operand, as theirs are
 * lower in the schedule's order. Not 0 where nobody does. */
__attribute__((noinline)) int operate(__u32 slot, __u32 contributors, __u32 contributor) {
  struct arrival* const at = at_hand();
  const struct thalweg_nic_content* const cell = at ? cell_of(at, contributors, contributor) : 0;
  if (!cell)
    return -1;
  const struct thalweg_nic_content* const asked = &at->content;
  struct thalweg_nic_operands* const all = &at->operands;
  all->words = asked->count;
  THALWEG_NIC_EACH(asked, 1, all->into[i] = cell->words[i]);
  if (contributor != 0 && call_operator(slot, all))
    return -1;
  THALWEG_NIC_EACH(asked, 1, all->from[i] = all->into[i]);
  return 0;
}

/* Combines what all contributors to the epoch at hand have brought; not 0 where that cannot be. */
__attribute__((noinline)) int operate_all(__u32 slot, __u32 contributors) {
  struct arrival* const at = at_hand();
  if (!at || at->content.count > THALWEG_NIC_WORDS)
    return -1;
  /* An element may be longer than what has come, and another group's words were there. */
  for (__u32 i = 0; i < THALWEG_NIC_OPERAND_WORDS; ++i)
    at->operands.from[i] = at->operands.into[i] = 0;
  for (__u32 contributor = 0; contributor < THALWEG_NIC_CONTRIBUTORS && contributor < contributors;
       ++contributor)
    if (operate(slot, contributors, contributor))
      return -1;
  THALWEG_NIC_EACH(&at->content, 1, at->content.words[i] = at->operands.from[i]);
  return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * Barriers and all-reductions in the packet path: all that happens to a group's state.
 *
 * A group is a tree of cards, one on each host. A card is whatever runs these functions: the programs in the
 * kernel (nic/programs), or a process (tests/nic/doubles). Ranks of its host and cards below it are
 * its contributors. When all have arrived at an epoch, it tells the card above, and the root releases all
 * (Zhang 2002, 3.3.3: gather, then broadcast, over any spanning tree of which a card sees its own place).
 *
 * Packets may be lost, doubled and overtaken. Nothing is acknowledged. Whoever waits sends its start again,
 * and a card that knows the end answers by itself, without its host.
 *
 * A contribution may have words (nic/combining.h). Each is kept in a cell of its own until all have arrived.
 * They are then combined in the order of the contributors, so that floating-point sums are the same in every
 * run. That takes longer than a lock may be held: between thalweg_nic_arrive and thalweg_nic_complete nothing
 * is locked, and two packets may do the same work at once.
 *
 * Who came last is known without a clock that hosts share: a card tells the one above how long its first rank
 * has waited, not since when. What packets take is not in it.
 *
 * It is restricted C for the kernel's verifier: no loops without bounds, no pointers that are kept.
 */

#include "nic/packet.h"

struct thalweg_nic_slot {
  __u64 arrived; /* a bit for each contributor */
  __u32 epoch;
  __u32 finished;
  __u64 first_us; /* when the first rank came, by this card's clock */
  __u64 last_us;  /* when the last contributor did */
  __u32 last;     /* the rank that came last to it */
  __u16 first; /* of the words that contributors have brought, and behind the last one, in a row of blocks */
  __u16 end;
};

/* All 0 in the beginning; the first epoch is 1. */
struct thalweg_nic_state {
  struct thalweg_nic_slot slots[THALWEG_NIC_WINDOW];
  __u32 ended[THALWEG_NIC_WINDOW]; /* the last epoch that ended, of those that share the place */
  struct thalweg_nic_content results[THALWEG_NIC_WINDOW];
};

/* What is to be done after a packet: any of them. */
enum thalweg_nic_action {
  THALWEG_NIC_NOTHING = 0,
  THALWEG_NIC_NOTIFY_PARENT = 1,
  THALWEG_NIC_NOTIFY_CHILDREN = 2,
  THALWEG_NIC_PUBLISH = 4,  /* to the host's ranks */
  THALWEG_NIC_ANSWER = 8,   /* tell the one that has just arrived */
  THALWEG_NIC_COMBINE = 16, /* all have arrived: combine the cells, then go on with thalweg_nic_complete */
};

/* The rules that make it right, besides one for ranks: who starts an epoch has seen the end of the one a
 * window before. A test leaves them out, one at a time, to see that it notices. */
enum thalweg_nic_rule {
  THALWEG_NIC_RULE_ONCE,   /* who arrives again does not change what it brought */
  THALWEG_NIC_RULE_ANSWER, /* who arrives at what has ended is told so */
  THALWEG_NIC_RULE_REPEAT, /* who arrives again where all have arrived makes the card tell its parent again */
  THALWEG_NIC_RULE_NEWER,  /* a slot is not given to an older epoch */
  THALWEG_NIC_RULE_SERIAL, /* epochs are compared as serial numbers, which go round */
  THALWEG_NIC_RULE_APART, /* ends are kept apart from what is gathered: some card below may be a window behind
                           */
  THALWEG_NIC_RULE_STILL, /* what was combined counts only where its epoch has not ended meanwhile */
  THALWEG_NIC_RULES,
};
#ifndef THALWEG_NIC_KEEPS
#define THALWEG_NIC_KEEPS(rule) 1
#endif

/* Is `a` later than `b`? */
THALWEG_NIC_INLINE int thalweg_nic_later(__u32 a, __u32 b) {
  return THALWEG_NIC_KEEPS(THALWEG_NIC_RULE_SERIAL) ? (__s32)(a - b) > 0 : a > b;
}

THALWEG_NIC_INLINE __u64 thalweg_nic_all(const struct thalweg_nic_group* group) {
  const __u32 missing = (THALWEG_NIC_CONTRIBUTORS - group->contributors) & (THALWEG_NIC_CONTRIBUTORS - 1);
  return ~0ULL >> missing;
}

/* An end is overwritten by the end a window later. By then all ranks have started that one, so have seen
 * this. */
THALWEG_NIC_INLINE int thalweg_nic_has_ended(const struct thalweg_nic_state* state, __u32 epoch) {
  const struct thalweg_nic_slot* const slot = &state->slots[epoch % THALWEG_NIC_WINDOW];
  if (!THALWEG_NIC_KEEPS(THALWEG_NIC_RULE_APART))
    return slot->epoch == epoch && slot->finished;
  return state->ended[epoch % THALWEG_NIC_WINDOW] == epoch;
}

THALWEG_NIC_INLINE void thalweg_nic_end(struct thalweg_nic_state* state, struct thalweg_nic_slot* slot,
                                        const struct thalweg_nic_content* result) {
  const __u32 place = slot->epoch % THALWEG_NIC_WINDOW;
  slot->finished = 1;
  state->ended[place] = slot->epoch;
  thalweg_nic_copy(&state->results[place], result);
}

/* A contributor has arrived at an epoch with `content`, or says so again; `cell` is its own. Gives what is to
 * be done (thalweg_nic_action). For an answer it changes `content` to the result; where all have arrived, to
 * what is to be combined, but for the words. `now_us`: by a clock of the card's own. */
THALWEG_NIC_INLINE __u32 thalweg_nic_arrive(const struct thalweg_nic_group* group,
                                            struct thalweg_nic_state* state, struct thalweg_nic_content* cell,
                                            __u32 contributor, __u32 epoch,
                                            struct thalweg_nic_content* content, __u64 now_us) {
  struct thalweg_nic_slot* const slot = &state->slots[epoch % THALWEG_NIC_WINDOW];
  const __u64 bit = 1ULL << (contributor & (THALWEG_NIC_CONTRIBUTORS - 1));
  __u64 before;
  if (thalweg_nic_has_ended(state, epoch)) {
    if (!THALWEG_NIC_KEEPS(THALWEG_NIC_RULE_ANSWER) || contributor < group->locals)
      return THALWEG_NIC_NOTHING;
    thalweg_nic_copy(content, &state->results[epoch % THALWEG_NIC_WINDOW]);
    return THALWEG_NIC_ANSWER;
  }
  if (slot->epoch != epoch) {
    /* Only a rank that breaks its rule comes here before the slot's own epoch has ended. */
    if (slot->arrived != 0 && !slot->finished)
      return THALWEG_NIC_NOTHING;
    if (THALWEG_NIC_KEEPS(THALWEG_NIC_RULE_NEWER) && slot->arrived != 0 &&
        !thalweg_nic_later(epoch, slot->epoch))
      return THALWEG_NIC_NOTHING;
    slot->epoch = epoch;
    slot->arrived = 0;
    slot->finished = 0;
    slot->first = THALWEG_NIC_ROW;
    slot->end = 0;
  }
  before = slot->arrived;
  if ((before & bit) == 0 || !THALWEG_NIC_KEEPS(THALWEG_NIC_RULE_ONCE)) {
    const __u64 first_us = now_us - content->waited_us;
    thalweg_nic_copy(cell, content);
    if (before == 0 || first_us < slot->first_us)
      slot->first_us = first_us;
    slot->last_us = now_us;
    slot->last = content->last;
    if (content->count != 0 && content->first < slot->first)
      slot->first = content->first;
    if (content->count != 0 && content->first + content->count > slot->end)
      slot->end = content->first + content->count;
  }
  slot->arrived = before | bit;
  if (slot->arrived != thalweg_nic_all(group))
    return THALWEG_NIC_NOTHING;
  /* Who arrives again may come without its words. */
  content->operation = cell->operation;
  content->first = slot->end == 0 ? 0 : slot->first;
  content->count = slot->end - content->first;
  return before != slot->arrived || THALWEG_NIC_KEEPS(THALWEG_NIC_RULE_REPEAT) ? THALWEG_NIC_COMBINE
                                                                               : THALWEG_NIC_NOTHING;
}

/* All have arrived at an epoch, and `content` is what their cells combine to; says in it who came last. Gives
 * what is to be done. */
THALWEG_NIC_INLINE __u32 thalweg_nic_complete(const struct thalweg_nic_group* group,
                                              struct thalweg_nic_state* state, __u32 epoch,
                                              struct thalweg_nic_content* content) {
  struct thalweg_nic_slot* const slot = &state->slots[epoch % THALWEG_NIC_WINDOW];
  content->last = slot->last;
  content->waited_us = (__u32)(slot->last_us - slot->first_us);
  /* A parent that has heard of a later end by now answers, and takes no notice of what it is told. */
  if (group->has_parent)
    return THALWEG_NIC_NOTIFY_PARENT;
  if (THALWEG_NIC_KEEPS(THALWEG_NIC_RULE_STILL) && (slot->epoch != epoch || slot->finished))
    return THALWEG_NIC_NOTHING;
  thalweg_nic_end(state, slot, content);
  return THALWEG_NIC_NOTIFY_CHILDREN | THALWEG_NIC_PUBLISH;
}

/* The card above says that an epoch has ended, and with what. Gives what is to be done. */
THALWEG_NIC_INLINE __u32 thalweg_nic_release(const struct thalweg_nic_group* group,
                                             struct thalweg_nic_state* state, __u32 epoch,
                                             const struct thalweg_nic_content* result) {
  struct thalweg_nic_slot* const slot = &state->slots[epoch % THALWEG_NIC_WINDOW];
  /* The card above has heard from this one, so all have arrived here, but where the release is forged. */
  if (slot->epoch != epoch || slot->finished || slot->arrived != thalweg_nic_all(group))
    return THALWEG_NIC_NOTHING;
  thalweg_nic_end(state, slot, result);
  return THALWEG_NIC_NOTIFY_CHILDREN | THALWEG_NIC_PUBLISH;
}

#pragma once

/*
 * Barriers in the packet path: the wire format, and all that happens to a group's state.
 *
 * A group is a tree of cards, one on each host. A card is whatever runs these functions: the programs in the
 * kernel (nic/programs), a process (nic/host_card.hpp), or a test. Ranks of its host and cards below it are
 * its contributors. When all have arrived at an epoch, it tells the card above, and the root releases all
 * (Zhang 2002, 3.3.3: gather, then broadcast, over any spanning tree of which a card sees its own place).
 *
 * Packets may be lost, doubled and overtaken. Nothing is acknowledged. Whoever waits sends its start again,
 * and a card that knows the end answers by itself, without its host.
 *
 * It is restricted C for the kernel's verifier: no calls, no loops, no pointers that are kept.
 */

#include <linux/types.h>

enum thalweg_nic_sizes {
  THALWEG_NIC_WINDOW = 8,        /* epochs that a group may have under way, and ends that are kept besides */
  THALWEG_NIC_CONTRIBUTORS = 64, /* ranks of the host and cards below */
};

enum thalweg_nic_constants {
  THALWEG_NIC_PORT = 7747,
  THALWEG_NIC_MAGIC = 0x5457,
  THALWEG_NIC_VERSION = 1,
};

/* Starts are sent to this address, 239.77.47.1: a multicast needs no route, no neighbor and no privilege. */
#define THALWEG_NIC_START_ADDRESS 0xef4d2f01U

enum thalweg_nic_kind {
  THALWEG_NIC_START = 1, /* a rank to its own card */
  THALWEG_NIC_UP = 2,    /* a card to the one above: all below have arrived */
  THALWEG_NIC_DOWN = 3,  /* a card to one below: all have arrived */
};

/* What an UDP datagram holds, in network order. */
struct thalweg_nic_packet {
  __u16 magic;
  __u8 version;
  __u8 kind;
  __u32 group;
  __u64 key;
  __u32 epoch;
  __u16 contributor; /* of UP: the sender's number above */
  __u16 unused;
} __attribute__((packed));

/* Where a card is; network order. */
struct thalweg_nic_place {
  __u32 address;
  __u16 port;
  __u16 unused;
};

/* A card's own view of the tree, which does not change. Contributors: first the host's ranks, then the cards
 * below. */
struct thalweg_nic_group {
  __u64 key;
  __u32 id;
  __u16 locals;
  __u16 contributors;
  __u16 has_parent;
  __u16 own; /* its number above */
  struct thalweg_nic_place parent;
  struct thalweg_nic_place below[THALWEG_NIC_CONTRIBUTORS]; /* by contributor; unused for ranks */
};

struct thalweg_nic_slot {
  __u64 arrived; /* a bit for each contributor */
  __u32 epoch;
  __u32 finished;
};

/* All 0 in the beginning; the first epoch is 1. */
struct thalweg_nic_state {
  struct thalweg_nic_slot slots[THALWEG_NIC_WINDOW];
  __u32 ended[THALWEG_NIC_WINDOW]; /* the last epoch that ended, of those that share the place */
};

/* What is to be done after a packet: any of them. */
enum thalweg_nic_action {
  THALWEG_NIC_NOTHING = 0,
  THALWEG_NIC_NOTIFY_PARENT = 1,
  THALWEG_NIC_NOTIFY_CHILDREN = 2,
  THALWEG_NIC_PUBLISH = 4, /* to the host's ranks */
  THALWEG_NIC_ANSWER = 8,  /* tell the one that has just arrived */
};

/* The rules that make it right, besides one for ranks: who starts an epoch has seen the end of the one a
 * window before. A test leaves them out, one at a time, to see that it notices. */
enum thalweg_nic_rule {
  THALWEG_NIC_RULE_ANSWER, /* who arrives at what has ended is told so */
  THALWEG_NIC_RULE_REPEAT, /* who arrives again where all have arrived makes the card tell its parent again */
  THALWEG_NIC_RULE_NEWER,  /* a slot is not given to an older epoch */
  THALWEG_NIC_RULE_SERIAL, /* epochs are compared as serial numbers, which go round */
  THALWEG_NIC_RULE_APART, /* ends are kept apart from what is gathered: some card below may be a window behind
                           */
  THALWEG_NIC_RULES,
};
#ifndef THALWEG_NIC_KEEPS
#define THALWEG_NIC_KEEPS(rule) 1
#endif

#define THALWEG_NIC_INLINE static inline __attribute__((always_inline))

THALWEG_NIC_INLINE __u16 thalweg_nic_order16(__u16 value) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  return __builtin_bswap16(value);
#else
  return value;
#endif
}

THALWEG_NIC_INLINE __u32 thalweg_nic_order32(__u32 value) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  return __builtin_bswap32(value);
#else
  return value;
#endif
}

THALWEG_NIC_INLINE __u64 thalweg_nic_order64(__u64 value) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  return __builtin_bswap64(value);
#else
  return value;
#endif
}

/* Is `a` later than `b`? */
THALWEG_NIC_INLINE int thalweg_nic_later(__u32 a, __u32 b) {
  return THALWEG_NIC_KEEPS(THALWEG_NIC_RULE_SERIAL) ? (__s32)(a - b) > 0 : a > b;
}

THALWEG_NIC_INLINE __u64 thalweg_nic_all(const struct thalweg_nic_group* group) {
  const __u32 missing = (THALWEG_NIC_CONTRIBUTORS - group->contributors) & (THALWEG_NIC_CONTRIBUTORS - 1);
  return ~0ULL >> missing;
}

THALWEG_NIC_INLINE void thalweg_nic_write(struct thalweg_nic_packet* packet,
                                          const struct thalweg_nic_group* group, __u8 kind, __u32 epoch) {
  packet->magic = thalweg_nic_order16(THALWEG_NIC_MAGIC);
  packet->version = THALWEG_NIC_VERSION;
  packet->kind = kind;
  packet->group = thalweg_nic_order32(group->id);
  packet->key = thalweg_nic_order64(group->key);
  packet->epoch = thalweg_nic_order32(epoch);
  packet->contributor = thalweg_nic_order16(kind == THALWEG_NIC_UP ? group->own : 0);
  packet->unused = 0;
}

/* Is it a packet of ours, of this version? */
THALWEG_NIC_INLINE int thalweg_nic_is_ours(const struct thalweg_nic_packet* packet) {
  return packet->magic == thalweg_nic_order16(THALWEG_NIC_MAGIC) && packet->version == THALWEG_NIC_VERSION;
}

/* May a packet from another card come from there? Only a neighbor in the tree that knows the key is listened
 * to. */
THALWEG_NIC_INLINE int thalweg_nic_admits(const struct thalweg_nic_group* group,
                                          const struct thalweg_nic_packet* packet, __u32 address,
                                          __u16 port) {
  const __u32 contributor = thalweg_nic_order16(packet->contributor);
  if (packet->key != thalweg_nic_order64(group->key))
    return 0;
  if (packet->kind == THALWEG_NIC_DOWN)
    return group->has_parent && group->parent.address == address && group->parent.port == port;
  if (packet->kind != THALWEG_NIC_UP || contributor < group->locals || contributor >= group->contributors ||
      contributor >= THALWEG_NIC_CONTRIBUTORS)
    return 0;
  return group->below[contributor].address == address && group->below[contributor].port == port;
}

/* An end is overwritten by the end a window later. By then all ranks have started that one, so have seen
 * this. */
THALWEG_NIC_INLINE int thalweg_nic_has_ended(const struct thalweg_nic_state* state, __u32 epoch) {
  const struct thalweg_nic_slot* const slot = &state->slots[epoch % THALWEG_NIC_WINDOW];
  if (!THALWEG_NIC_KEEPS(THALWEG_NIC_RULE_APART))
    return slot->epoch == epoch && slot->finished;
  return state->ended[epoch % THALWEG_NIC_WINDOW] == epoch;
}

THALWEG_NIC_INLINE void thalweg_nic_end(struct thalweg_nic_state* state, struct thalweg_nic_slot* slot) {
  slot->finished = 1;
  state->ended[slot->epoch % THALWEG_NIC_WINDOW] = slot->epoch;
}

/* A contributor has arrived at an epoch, or says so again. Gives what is to be done (thalweg_nic_action). */
THALWEG_NIC_INLINE __u32 thalweg_nic_arrive(const struct thalweg_nic_group* group,
                                            struct thalweg_nic_state* state, __u32 contributor, __u32 epoch) {
  struct thalweg_nic_slot* const slot = &state->slots[epoch % THALWEG_NIC_WINDOW];
  const __u64 bit = 1ULL << (contributor & (THALWEG_NIC_CONTRIBUTORS - 1));
  __u64 before;
  if (thalweg_nic_has_ended(state, epoch))
    return THALWEG_NIC_KEEPS(THALWEG_NIC_RULE_ANSWER) && contributor >= group->locals ? THALWEG_NIC_ANSWER
                                                                                      : THALWEG_NIC_NOTHING;
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
  }
  before = slot->arrived;
  slot->arrived = before | bit;
  if (slot->arrived != thalweg_nic_all(group))
    return THALWEG_NIC_NOTHING;
  if (group->has_parent)
    return before != slot->arrived || THALWEG_NIC_KEEPS(THALWEG_NIC_RULE_REPEAT) ? THALWEG_NIC_NOTIFY_PARENT
                                                                                 : THALWEG_NIC_NOTHING;
  thalweg_nic_end(state, slot);
  return THALWEG_NIC_NOTIFY_CHILDREN | THALWEG_NIC_PUBLISH;
}

/* The card above says that an epoch has ended. Gives what is to be done. */
THALWEG_NIC_INLINE __u32 thalweg_nic_release(const struct thalweg_nic_group* group,
                                             struct thalweg_nic_state* state, __u32 epoch) {
  struct thalweg_nic_slot* const slot = &state->slots[epoch % THALWEG_NIC_WINDOW];
  /* The card above has heard from this one, so all have arrived here, but where the release is forged. */
  if (slot->epoch != epoch || slot->finished || slot->arrived != thalweg_nic_all(group))
    return THALWEG_NIC_NOTHING;
  thalweg_nic_end(state, slot);
  return THALWEG_NIC_NOTIFY_CHILDREN | THALWEG_NIC_PUBLISH;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * What cards send each other, and whom they listen to. It is restricted C for the kernel's verifier.
 */

#include "nic/combining.h"

enum thalweg_nic_sizes {
  THALWEG_NIC_WINDOW = 8,        /* epochs that a group may have under way, and ends that are kept besides */
  THALWEG_NIC_CONTRIBUTORS = 64, /* ranks of the host and cards below */
  THALWEG_NIC_SEGMENTS = 64,     /* at most, of a broadcast */
  THALWEG_NIC_SEGMENT_BYTES = 1408,
  THALWEG_NIC_ARRIVAL_BYTES = 8,            /* who came last, and how long the first one has waited */
  THALWEG_NIC_OPERATORS = 8,                /* of users, at most on a host */
  THALWEG_NIC_OPERATOR_INSTRUCTIONS = 1024, /* the place of one, with two that are not its own */
};

enum thalweg_nic_constants {
  THALWEG_NIC_PORT = 7747,
  THALWEG_NIC_MAGIC = 0x5457,
  THALWEG_NIC_VERSION = 9,
};

/* Starts are sent to this address, 239.77.47.1: a multicast needs no route, no neighbor and no privilege. */
#define THALWEG_NIC_START_ADDRESS 0xef4d2f01U

enum thalweg_nic_kind {
  THALWEG_NIC_START = 1,   /* a rank to its own card */
  THALWEG_NIC_UP = 2,      /* a card to the one above: all below have arrived; of a broadcast, what it has */
  THALWEG_NIC_DOWN = 3,    /* a card to one below: all have arrived; of a broadcast, a segment */
  THALWEG_NIC_MESSAGE = 4, /* a rank's card to another rank's (nic/inbox.h) */
  THALWEG_NIC_CREDIT = 5,  /* the answer */
};

/* What an UDP datagram holds, in network order. Behind it are who came last, how long the first one has
 * waited, and the words, as they lie in what goes with an epoch; or a part of a broadcast (nic/relay.h). */
struct thalweg_nic_packet {
  __u16 magic;
  __u8 version;
  __u8 kind;
  __u32 group;
  __u64 key;
  __u32 epoch;
  __u8 contributor; /* of UP: the sender's number above; of MESSAGE and CREDIT: the rank that says it */
  __u8 first;       /* of blocks: the first word's place in the row */
  __u8 operation;
  __u8 words; /* how many */
} __attribute__((packed));

/* Where a card is; network order. */
struct thalweg_nic_place {
  __u32 address;
  __u16 port;
  __u16 local; /* of a rank with an inbox: its number on that host */
};

/* A card's own view of the tree, which does not change. Contributors: first the host's ranks, then the cards
 * below. A card that has none of the ranks aggregates: a switch's, or that of a host that serves others. In a
 * group for inboxes there is no tree: contributors are all its ranks, on whatever host. */
struct thalweg_nic_group {
  __u64 key;
  __u32 id;
  __u16 locals;
  __u16 contributors;
  __u16 has_parent;
  __u16 own;           /* its number above */
  __u16 segment_bytes; /* the most that a packet of a broadcast carries; 0: a group for all but broadcasts */
  __u16 width; /* messages that an inbox keeps of each rank, a power of two; 0: a group for all else */
  struct thalweg_nic_place parent;
  struct thalweg_nic_place below[THALWEG_NIC_CONTRIBUTORS]; /* by contributor; unused for ranks of trees */
  __u64 operator_digest; /* which operator of users combines all that it has; 0: what packets say */
  __u32 operator_slot;   /* where this host has that one, from 1 on; the agent says it */
  __u32 unused;
};

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

THALWEG_NIC_INLINE void thalweg_nic_write(struct thalweg_nic_packet* packet,
                                          const struct thalweg_nic_group* group, __u8 kind, __u32 epoch,
                                          const struct thalweg_nic_content* content) {
  packet->magic = thalweg_nic_order16(THALWEG_NIC_MAGIC);
  packet->version = THALWEG_NIC_VERSION;
  packet->kind = kind;
  packet->group = thalweg_nic_order32(group->id);
  packet->key = thalweg_nic_order64(group->key);
  packet->epoch = thalweg_nic_order32(epoch);
  packet->contributor = kind == THALWEG_NIC_UP ? group->own : 0;
  packet->first = content->first;
  packet->operation = content->operation;
  packet->words = content->count;
}

/* What a packet says of what is behind it. */
THALWEG_NIC_INLINE void thalweg_nic_read(const struct thalweg_nic_packet* packet,
                                         struct thalweg_nic_content* content) {
  content->operation = packet->operation;
  content->first = packet->first;
  content->count = packet->words;
  if (thalweg_nic_has_blocks(content) ? content->first + content->count > THALWEG_NIC_ROW
                                      : content->first != 0 || content->count > THALWEG_NIC_ROW ||
                                            content->count != thalweg_nic_length(content->count))
    content->first = content->count = 0;
}

/* From the network's order to the host's, and back. */
THALWEG_NIC_INLINE void thalweg_nic_reorder(struct thalweg_nic_content* content) {
  content->last = thalweg_nic_order32(content->last);
  content->waited_us = thalweg_nic_order32(content->waited_us);
  THALWEG_NIC_EACH_OF_ROW(content, content->words[i] = thalweg_nic_order64(content->words[i]));
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
  const __u32 contributor = packet->contributor;
  if (packet->key != thalweg_nic_order64(group->key))
    return 0;
  if (packet->kind == THALWEG_NIC_DOWN)
    return group->has_parent && group->parent.address == address && group->parent.port == port;
  if (packet->kind != THALWEG_NIC_UP || contributor < group->locals || contributor >= group->contributors ||
      contributor >= THALWEG_NIC_CONTRIBUTORS)
    return 0;
  return group->below[contributor].address == address && group->below[contributor].port == port;
}

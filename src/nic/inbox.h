/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * Messages from rank to rank that the receiver's card matches (nic/matching.h), while its host does something
 * else.
 *
 * Each pair of ranks is a channel with `width` cells at the receiver, as the source's send and receive slots
 * are (Zhang 2002, 2.4). A message is accepted only if it is the channel's next one, and a cell is free. The
 * card answers each message with how many it has accepted, and whether the next one has room. So who sends
 * knows that its message is in order and kept, without the receiver's host. The card chooses the cell: one
 * that is not received for long takes the room of one message only.
 *
 * Packets may be lost, doubled and overtaken. Who sends says it again until it is accepted. A receiver that
 * takes a message where the sender was told that there is no room has its card tell it otherwise.
 *
 * It is restricted C for the kernel's verifier.
 */

#include "nic/matching.h"

/* What follows the packet, in network order; behind it are a message's bytes. */
struct thalweg_nic_envelope {
  __u32 tag;
  __u32 bytes; /* of the message */
  __u16 to;    /* rank; of a receive, the source or any */
  __u16 what;  /* of START: thalweg_nic_wish; of CREDIT: there is room */
} __attribute__((packed));

enum thalweg_nic_wish {
  THALWEG_NIC_SEND = 1,
  THALWEG_NIC_RECEIVE = 2,
  THALWEG_NIC_RELEASE = 3, /* there is room again for `to` */
};

enum thalweg_nic_inbox_sizes {
  THALWEG_NIC_CARRIED_BYTES = THALWEG_NIC_SEGMENT_BYTES, /* the most that a cell has room for */
  THALWEG_NIC_MAX_WIDTH = 32,
};

/* How many bytes are behind a envelope: longer messages come another way, once they are matched. */
THALWEG_NIC_INLINE __u32 thalweg_nic_carried(__u32 bytes) {
  return bytes <= THALWEG_NIC_CARRIED_BYTES ? bytes : 0;
}

THALWEG_NIC_INLINE __u32 thalweg_nic_place_of(const struct thalweg_nic_group* group, __u32 source,
                                              __u32 cell) {
  return 1 + ((source * group->width + cell) & (THALWEG_NIC_RECORDS - 1));
}

/* The free cells of a channel, a bit for each. The card changes a cell's bit of `filled` when it fills it,
 * and the receiver's host that of `released` when it takes the message: so neither writes what is the
 * other's. */
THALWEG_NIC_INLINE __u32 thalweg_nic_free_cells(const struct thalweg_nic_group* group, __u32 filled,
                                                __u32 released) {
  const __u32 all = ~0U >> ((THALWEG_NIC_MAX_WIDTH - group->width) & (THALWEG_NIC_MAX_WIDTH - 1));
  return THALWEG_NIC_KEEPS(THALWEG_NIC_RULE_CELL) ? ~(filled ^ released) & all : all;
}

/* May a packet from another card come from there, and is it for a rank at `own`? */
THALWEG_NIC_INLINE int thalweg_nic_admits_message(const struct thalweg_nic_group* group,
                                                  const struct thalweg_nic_packet* packet, __u32 to,
                                                  const struct thalweg_nic_place* from,
                                                  const struct thalweg_nic_place* own) {
  const __u32 contributor = packet->contributor;
  if (packet->key != thalweg_nic_order64(group->key) ||
      (packet->kind != THALWEG_NIC_MESSAGE && packet->kind != THALWEG_NIC_CREDIT))
    return 0;
  if (contributor >= THALWEG_NIC_CONTRIBUTORS || contributor >= group->contributors ||
      to >= THALWEG_NIC_CONTRIBUTORS || to >= group->contributors)
    return 0;
  return group->below[contributor].address == from->address && group->below[contributor].port == from->port &&
         group->below[to].address == own->address && group->below[to].port == own->port;
}

/* A message has come. Gives the place where it is to be written, before thalweg_nic_accept; or 0. */
THALWEG_NIC_INLINE __u32 thalweg_nic_offer_message(const struct thalweg_nic_group* group,
                                                   struct thalweg_nic_inbox* inbox, __u32 source,
                                                   __u32 sequence, __u32 released) {
  __u32 free_cells;
  __u32 cell;
  source &= THALWEG_NIC_CONTRIBUTORS - 1;
  free_cells = thalweg_nic_free_cells(group, inbox->filled[source], released);
  if (THALWEG_NIC_KEEPS(THALWEG_NIC_RULE_ORDER) && inbox->accepted[source] != sequence)
    return 0;
  if (free_cells == 0 || (THALWEG_NIC_KEEPS(THALWEG_NIC_RULE_BEGIN) && inbox->begun[source] == sequence + 1))
    return 0;
  cell = 63 - thalweg_nic_leading_zeros(free_cells & -free_cells);
  inbox->begun[source] = sequence + 1;
  inbox->filled[source] ^= 1U << (cell & (THALWEG_NIC_MAX_WIDTH - 1));
  return thalweg_nic_place_of(group, source, cell);
}

/* The message was written at that place. Is there a receive for it? */
THALWEG_NIC_INLINE int thalweg_nic_accept(struct thalweg_nic_inbox* inbox, __u32 place, __u32 source,
                                          __u32 sequence, __u32 tag, __u32 bytes,
                                          struct thalweg_nic_match* match) {
  struct thalweg_nic_record* const record = thalweg_nic_record_at(inbox, place);
  inbox->accepted[source & (THALWEG_NIC_CONTRIBUTORS - 1)] = sequence + 1;
  record->source = source;
  record->sequence = sequence;
  record->tag = tag;
  record->bytes = bytes;
  return thalweg_nic_match_record(inbox, place, match);
}

/* What a sender knows of a channel: in the upper half how many messages were accepted, in the lower whether
 * the next one has room. Gives what it knows after an answer. */
THALWEG_NIC_INLINE __u64 thalweg_nic_credit(__u64 known, __u32 accepted, __u32 has_room) {
  const __u32 before = (__u32)(known >> 32);
  if (thalweg_nic_later(before, accepted)) /* an older answer */
    return known;
  if (before == accepted)
    return known | has_room;
  return (__u64)accepted << 32 | has_room;
}

#pragma once

/*
 * Messages from rank to rank that the receiver's card matches (nic/matching.h), while its host does something
 * else.
 *
 * Each pair of ranks is a channel with `width` cells at the receiver, as the source's send and receive slots
 * are (Zhang 2002, 2.4). A message is accepted only if it is the channel's next one, and its cell is free.
 * The card answers each message with how many it has accepted, and whether the next one has room. So who
 * sends knows that its message is in order and kept, without the receiver's host.
 *
 * Packets may be lost, doubled and overtaken. Who sends says it again until it is accepted. A receiver that
 * takes a message out of a cell that was wanted has its card tell the sender.
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

/* Where a message is kept until it was taken. */
enum thalweg_nic_cell_bytes { THALWEG_NIC_CARRIED_BYTES = THALWEG_NIC_SEGMENT_BYTES - 16 };
struct thalweg_nic_cell {
  __u32 taken;  /* messages so far; written by the receiver's host */
  __u32 wanted; /* the sender was told that there is no room for this one, counted from 1 on */
  __u64 unused;
  __u8 bytes[THALWEG_NIC_CARRIED_BYTES];
};

/* How many bytes are behind a envelope: longer messages come another way, once they are matched. */
THALWEG_NIC_INLINE __u32 thalweg_nic_carried(__u32 bytes) {
  return bytes <= THALWEG_NIC_CARRIED_BYTES ? bytes : 0;
}

THALWEG_NIC_INLINE __u32 thalweg_nic_place_of(const struct thalweg_nic_group* group, __u32 source,
                                              __u32 sequence) {
  return 1 + ((source * group->width + (sequence & (group->width - 1U))) & (THALWEG_NIC_RECORDS - 1));
}

/* Messages that were in a cell before this one. */
THALWEG_NIC_INLINE __u32 thalweg_nic_turn(const struct thalweg_nic_group* group, __u32 sequence) {
  return group->width != 0 ? sequence / group->width : 0;
}

/* May a packet from another card come from there, and is it for a rank at `own`? */
THALWEG_NIC_INLINE int thalweg_nic_admits_message(const struct thalweg_nic_group* group,
                                                  const struct thalweg_nic_packet* packet, __u32 to,
                                                  const struct thalweg_nic_place* from,
                                                  const struct thalweg_nic_place* own) {
  const __u32 contributor = thalweg_nic_order16(packet->contributor);
  if (packet->key != thalweg_nic_order64(group->key) ||
      (packet->kind != THALWEG_NIC_MESSAGE && packet->kind != THALWEG_NIC_CREDIT))
    return 0;
  if (contributor >= THALWEG_NIC_CONTRIBUTORS || contributor >= group->contributors ||
      to >= THALWEG_NIC_CONTRIBUTORS || to >= group->contributors)
    return 0;
  return group->below[contributor].address == from->address && group->below[contributor].port == from->port &&
         group->below[to].address == own->address && group->below[to].port == own->port;
}

/* A message has come, and there is room for it or not. Is it to be written, before thalweg_nic_accept? */
THALWEG_NIC_INLINE int thalweg_nic_offer_message(struct thalweg_nic_inbox* inbox, __u32 source,
                                                 __u32 sequence, int has_room) {
  source &= THALWEG_NIC_CONTRIBUTORS - 1;
  if (THALWEG_NIC_KEEPS(THALWEG_NIC_RULE_ORDER) && inbox->accepted[source] != sequence)
    return 0;
  if (THALWEG_NIC_KEEPS(THALWEG_NIC_RULE_CELL) && !has_room)
    return 0;
  if (THALWEG_NIC_KEEPS(THALWEG_NIC_RULE_BEGIN) && inbox->begun[source] == sequence + 1)
    return 0;
  inbox->begun[source] = sequence + 1;
  return 1;
}

/* The message was written. Is there a receive for it? */
THALWEG_NIC_INLINE int thalweg_nic_accept(const struct thalweg_nic_group* group,
                                          struct thalweg_nic_inbox* inbox, __u32 source, __u32 sequence,
                                          __u32 tag, __u32 bytes, struct thalweg_nic_match* match) {
  const __u32 place = thalweg_nic_place_of(group, source, sequence);
  struct thalweg_nic_record* const record = thalweg_nic_record_at(inbox, place);
  source &= THALWEG_NIC_CONTRIBUTORS - 1;
  inbox->accepted[source] = sequence + 1;
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

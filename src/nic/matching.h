/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * Matching on the card: which message a rank's receive gets, with any source, any tag, or both left open.
 *
 * The source (Zhang 2002, 3.2) keeps a process's messages in lists by sender and in lists by a hash of the
 * tag, so that a receive from anybody need not look at what has another tag. It leaves open what a receive
 * of any tag from anybody does. Here a message stands in four lists, in the order of arrival: of all, of its
 * sender, of its tag's hash, and of the hash of both. A receive waits in one of the four, by what it leaves
 * open. So the first entry of one list answers it, but for what has the same hash by chance: it takes as long
 * with many senders and many messages as with few.
 *
 * Receives match in the order in which they were posted, and messages of a sender in the order in which they
 * were sent, as MPI has it.
 *
 * It is restricted C for the kernel's verifier. Places are counted from 1, so that zeros are empty lists.
 */

#include "nic/protocol.h"

enum thalweg_nic_matching_sizes {
  THALWEG_NIC_RECORDS = 1024, /* messages of a rank that were not received yet */
  THALWEG_NIC_RECEIVES = 64,  /* of a rank that may wait */
  THALWEG_NIC_BUCKETS = 256,
  THALWEG_NIC_LISTS = 1 + THALWEG_NIC_CONTRIBUTORS + 2 * THALWEG_NIC_BUCKETS,
};

/* The rules that make inboxes right. A test leaves them out, one at a time, to see that it notices. */
enum thalweg_nic_inbox_rule {
  THALWEG_NIC_RULE_FIRST = THALWEG_NIC_RULES, /* of receives that a message fits, the first posted gets it */
  THALWEG_NIC_RULE_POST,                      /* a receive that is posted again is the same one */
  THALWEG_NIC_RULE_ORDER,                     /* of a sender, the next message alone is accepted */
  THALWEG_NIC_RULE_BEGIN,                     /* a message is written once */
  THALWEG_NIC_RULE_CELL,                      /* a message is kept until its receiver has taken it */
  THALWEG_NIC_INBOX_RULES,
};

#define THALWEG_NIC_ANY_SOURCE 0xffffU
#define THALWEG_NIC_ANY_TAG 0xffffffffU

/* The four kinds of lists, by what a receive names. */
enum thalweg_nic_named {
  THALWEG_NIC_NAMES_NOTHING = 0,
  THALWEG_NIC_NAMES_SOURCE = 1,
  THALWEG_NIC_NAMES_TAG = 2,
  THALWEG_NIC_NAMES_BOTH = 3,
  THALWEG_NIC_KINDS = 4,
};

struct thalweg_nic_list {
  __u16 first;
  __u16 last;
};

/* A message that has come. */
struct thalweg_nic_record {
  __u16 before[THALWEG_NIC_KINDS];
  __u16 after[THALWEG_NIC_KINDS];
  __u32 tag;
  __u32 sequence;
  __u32 bytes;
  __u32 source;
};

/* A receive that waits. */
struct thalweg_nic_receive {
  __u32 number; /* in the order of posting */
  __u32 tag;
  __u32 source;
  __u16 after;
  __u16 is_there;
};

/* All 0 in the beginning. */
struct thalweg_nic_inbox {
  __u32 accepted[THALWEG_NIC_CONTRIBUTORS]; /* by source: how many messages have come */
  __u32 begun[THALWEG_NIC_CONTRIBUTORS];    /* by source: how many were written, or are being so */
  __u32 filled[THALWEG_NIC_CONTRIBUTORS];   /* by source: a bit for each cell (nic/inbox.h) */
  __u32 posted;                             /* receives so far */
  __u32 unused;
  struct thalweg_nic_list records_in[THALWEG_NIC_LISTS];
  struct thalweg_nic_list receives_in[THALWEG_NIC_LISTS];
  struct thalweg_nic_record records[THALWEG_NIC_RECORDS];
  struct thalweg_nic_receive receives[THALWEG_NIC_RECEIVES];
};

/* What a receive gets. */
struct thalweg_nic_match {
  __u32 receive; /* its number, from 1 on; written last where ranks look at it */
  __u32 source;
  __u32 tag;
  __u32 sequence;
  __u32 bytes;
  __u32 place; /* of the message */
};

THALWEG_NIC_INLINE __u32 thalweg_nic_bucket(__u32 value) {
  return (value * 2654435761U) >> 24; /* Knuth's multiplicative hashing: neighboring tags lie far apart */
}

THALWEG_NIC_INLINE __u32 thalweg_nic_list_number(__u32 kind, __u32 source, __u32 tag) {
  const __u32 of_sources = 1;
  const __u32 of_tags = of_sources + THALWEG_NIC_CONTRIBUTORS;
  switch (kind) {
  case THALWEG_NIC_NAMES_NOTHING:
    return 0;
  case THALWEG_NIC_NAMES_SOURCE:
    return of_sources + (source & (THALWEG_NIC_CONTRIBUTORS - 1));
  case THALWEG_NIC_NAMES_TAG:
    return of_tags + thalweg_nic_bucket(tag);
  default:
    return of_tags + THALWEG_NIC_BUCKETS + thalweg_nic_bucket(tag + source * 0x9e3779b1U);
  }
}

THALWEG_NIC_INLINE __u32 thalweg_nic_kind_of(__u32 source, __u32 tag) {
  return (source == THALWEG_NIC_ANY_SOURCE ? 0 : THALWEG_NIC_NAMES_SOURCE) |
         (tag == THALWEG_NIC_ANY_TAG ? 0 : THALWEG_NIC_NAMES_TAG);
}

THALWEG_NIC_INLINE struct thalweg_nic_record* thalweg_nic_record_at(struct thalweg_nic_inbox* inbox,
                                                                    __u32 place) {
  return &inbox->records[(place - 1) & (THALWEG_NIC_RECORDS - 1)];
}

THALWEG_NIC_INLINE struct thalweg_nic_receive* thalweg_nic_receive_at(struct thalweg_nic_inbox* inbox,
                                                                      __u32 place) {
  return &inbox->receives[(place - 1) & (THALWEG_NIC_RECEIVES - 1)];
}

/* Puts a message at the end of its list of that kind. */
THALWEG_NIC_INLINE void thalweg_nic_put_into(struct thalweg_nic_inbox* inbox, __u32 kind, __u32 place) {
  struct thalweg_nic_record* const record = thalweg_nic_record_at(inbox, place);
  struct thalweg_nic_list* const list =
      &inbox->records_in[thalweg_nic_list_number(kind, record->source, record->tag)];
  record->before[kind] = list->last;
  record->after[kind] = 0;
  if (list->last)
    thalweg_nic_record_at(inbox, list->last)->after[kind] = (__u16)place;
  else
    list->first = (__u16)place;
  list->last = (__u16)place;
}

THALWEG_NIC_INLINE void thalweg_nic_take_from(struct thalweg_nic_inbox* inbox, __u32 kind, __u32 place) {
  const struct thalweg_nic_record* const record = thalweg_nic_record_at(inbox, place);
  struct thalweg_nic_list* const list =
      &inbox->records_in[thalweg_nic_list_number(kind, record->source, record->tag)];
  if (record->before[kind])
    thalweg_nic_record_at(inbox, record->before[kind])->after[kind] = record->after[kind];
  else
    list->first = record->after[kind];
  if (record->after[kind])
    thalweg_nic_record_at(inbox, record->after[kind])->before[kind] = record->before[kind];
  else
    list->last = record->before[kind];
}

/* The earliest message that a receive may get; 0 where there is none. */
THALWEG_NIC_INLINE __u32 thalweg_nic_find_record(struct thalweg_nic_inbox* inbox, __u32 source, __u32 tag) {
  const __u32 kind = thalweg_nic_kind_of(source, tag);
  __u32 place = inbox->records_in[thalweg_nic_list_number(kind, source, tag)].first;
  for (__u32 step = 0; step < THALWEG_NIC_RECORDS && place != 0; ++step) {
    const struct thalweg_nic_record* const record = thalweg_nic_record_at(inbox, place);
    if ((source == THALWEG_NIC_ANY_SOURCE || record->source == source) &&
        (tag == THALWEG_NIC_ANY_TAG || record->tag == tag))
      return place;
    place = record->after[kind];
  }
  return 0;
}

/* A receive in a list, and the one before it there; no place: none. */
struct thalweg_nic_waiting {
  __u32 place;
  __u32 before;
  __u32 list;
  __u32 number;
};

/* The earliest receive of a kind that may get a message, where it is earlier than `found`. */
THALWEG_NIC_INLINE void thalweg_nic_find_receive(struct thalweg_nic_inbox* inbox, __u32 kind, __u32 source,
                                                 __u32 tag, struct thalweg_nic_waiting* found) {
  const __u32 list = thalweg_nic_list_number(kind, source, tag);
  __u32 place = inbox->receives_in[list].first;
  __u32 before = 0;
  for (__u32 step = 0; step < THALWEG_NIC_RECEIVES && place != 0; ++step) {
    const struct thalweg_nic_receive* const receive = thalweg_nic_receive_at(inbox, place);
    if (((kind & THALWEG_NIC_NAMES_SOURCE) == 0 || receive->source == source) &&
        ((kind & THALWEG_NIC_NAMES_TAG) == 0 || receive->tag == tag)) {
      if (found->place == 0 ||
          (THALWEG_NIC_KEEPS(THALWEG_NIC_RULE_FIRST) && thalweg_nic_later(found->number, receive->number))) {
        found->place = place;
        found->before = before;
        found->list = list;
        found->number = receive->number;
      }
      return;
    }
    before = place;
    place = receive->after;
  }
}

THALWEG_NIC_INLINE void thalweg_nic_end_receive(struct thalweg_nic_inbox* inbox,
                                                const struct thalweg_nic_waiting* waiting) {
  struct thalweg_nic_receive* const receive = thalweg_nic_receive_at(inbox, waiting->place);
  struct thalweg_nic_list* const list =
      &inbox->receives_in[waiting->list < THALWEG_NIC_LISTS ? waiting->list : 0];
  if (waiting->before)
    thalweg_nic_receive_at(inbox, waiting->before)->after = receive->after;
  else
    list->first = receive->after;
  if (receive->after == 0)
    list->last = (__u16)waiting->before;
  receive->is_there = 0;
}

THALWEG_NIC_INLINE void thalweg_nic_describe(const struct thalweg_nic_record* record, __u32 place,
                                             __u32 receive, struct thalweg_nic_match* match) {
  match->receive = receive;
  match->source = record->source;
  match->tag = record->tag;
  match->sequence = record->sequence;
  match->bytes = record->bytes;
  match->place = place;
}

/* A message has come, which `record` at `place` describes. Is there a receive for it? Else it waits. */
THALWEG_NIC_INLINE int thalweg_nic_match_record(struct thalweg_nic_inbox* inbox, __u32 place,
                                                struct thalweg_nic_match* match) {
  const struct thalweg_nic_record* const record = thalweg_nic_record_at(inbox, place);
  struct thalweg_nic_waiting found = {0, 0, 0, 0};
  thalweg_nic_find_receive(inbox, THALWEG_NIC_NAMES_NOTHING, record->source, record->tag, &found);
  thalweg_nic_find_receive(inbox, THALWEG_NIC_NAMES_SOURCE, record->source, record->tag, &found);
  thalweg_nic_find_receive(inbox, THALWEG_NIC_NAMES_TAG, record->source, record->tag, &found);
  thalweg_nic_find_receive(inbox, THALWEG_NIC_NAMES_BOTH, record->source, record->tag, &found);
  if (found.place == 0) {
    thalweg_nic_put_into(inbox, THALWEG_NIC_NAMES_NOTHING, place);
    thalweg_nic_put_into(inbox, THALWEG_NIC_NAMES_SOURCE, place);
    thalweg_nic_put_into(inbox, THALWEG_NIC_NAMES_TAG, place);
    thalweg_nic_put_into(inbox, THALWEG_NIC_NAMES_BOTH, place);
    return 0;
  }
  thalweg_nic_end_receive(inbox, &found);
  thalweg_nic_describe(record, place, found.number, match);
  return 1;
}

/* A rank posts its receive of that number, or says so again. Is there a message for it? Else it waits. */
THALWEG_NIC_INLINE int thalweg_nic_match_receive(struct thalweg_nic_inbox* inbox, __u32 number, __u32 source,
                                                 __u32 tag, struct thalweg_nic_match* match) {
  const __u32 own = 1 + number % THALWEG_NIC_RECEIVES;
  struct thalweg_nic_receive* const receive = thalweg_nic_receive_at(inbox, own);
  struct thalweg_nic_list* list;
  __u32 place;
  if (THALWEG_NIC_KEEPS(THALWEG_NIC_RULE_POST) && (number != inbox->posted + 1 || receive->is_there))
    return 0;
  inbox->posted = number;
  place = thalweg_nic_find_record(inbox, source, tag);
  if (place != 0) {
    thalweg_nic_take_from(inbox, THALWEG_NIC_NAMES_NOTHING, place);
    thalweg_nic_take_from(inbox, THALWEG_NIC_NAMES_SOURCE, place);
    thalweg_nic_take_from(inbox, THALWEG_NIC_NAMES_TAG, place);
    thalweg_nic_take_from(inbox, THALWEG_NIC_NAMES_BOTH, place);
    thalweg_nic_describe(thalweg_nic_record_at(inbox, place), place, number, match);
    return 1;
  }
  list = &inbox->receives_in[thalweg_nic_list_number(thalweg_nic_kind_of(source, tag), source, tag)];
  receive->number = number;
  receive->source = source;
  receive->tag = tag;
  receive->after = 0;
  receive->is_there = 1;
  if (list->last)
    thalweg_nic_receive_at(inbox, list->last)->after = (__u16)own;
  else
    list->first = (__u16)own;
  list->last = (__u16)own;
  return 0;
}

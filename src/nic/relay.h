/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * Broadcasts in the packet path: all that happens to a group's state.
 *
 * The root's rank gives its card a message in segments. A card keeps each segment and sends it on at once to
 * the cards below it. Ranks take the message from their own card when they come to the call, so one that is
 * late waits for nobody.
 *
 * A card that has the whole message says so to the card above (Zhang 2002, 3.3.5: acknowledgements go one
 * hop, not from the leaves to the root). A card keeps a message until all cards below have said so and all
 * ranks of its host have taken it. Only then has it room for the one a window later. That is the credit: what
 * comes before is dropped, and asked for when there is room.
 *
 * Packets may be lost, doubled and overtaken. Whoever waits asks again, and a card passes the question on to
 * the card above, with the segments that it has: it is answered with those that are missing. So no rank above
 * has to be in the call, or to be awake. Whatever a card says of an epoch implies that it has the whole one a
 * window before.
 *
 * It is restricted C for the kernel's verifier.
 */

#include "nic/protocol.h"

/* What follows the packet, in network order; in a segment its bytes are behind it. */
struct thalweg_nic_part {
  __u64 have;    /* of UP: the segments that the sender has, a bit for each */
  __u32 bytes;   /* of the whole message; of START 0: a question */
  __u16 segment; /* of DOWN and START: which */
  __u16 asks;    /* of DOWN: the one below is to say what it has; of START: the agent asks */
} __attribute__((packed));

/* A message that a card keeps. */
struct thalweg_nic_message {
  __u64 have;         /* segments */
  __u64 begun;        /* segments that are there, or are being written */
  __u64 acknowledged; /* by cards below: they have it whole */
  __u64 asked;        /* contributors that are known to have come to the call */
  __u32 epoch;
  __u32 bytes;  /* 0: not known */
  __u32 wanted; /* the epoch a window later was dropped, as this one was still needed */
  __u32 unused;
};

struct thalweg_nic_relay {
  struct thalweg_nic_message messages[THALWEG_NIC_WINDOW];
};

/* What is to be done after a packet: any of them. */
enum thalweg_nic_errand_action {
  THALWEG_NIC_FORWARD = 1, /* send `segment` of `epoch` to the cards in `to` */
  THALWEG_NIC_RESEND = 2,  /* send `segments` of `epoch` to the card that has said what it has */
  THALWEG_NIC_REPORT = 4,  /* tell the card above: `have` of `above` */
  THALWEG_NIC_END = 8,     /* ranks may take `epoch` */
  THALWEG_NIC_FREE = 16,   /* all cards below have `freed` */
};

struct thalweg_nic_errand {
  __u32 actions;
  __u32 epoch;
  __u32 bytes; /* of that message */
  __u32 segment;
  __u64 to;
  __u64 segments;
  __u64 have;
  __u32 above;
  __u32 freed;
  __u32 asks;
  __u32 is_at_hand; /* the packet that has come is that segment */
};

/* The rules that make it right. A test leaves them out, one at a time, to see that it notices. */
enum thalweg_nic_relay_rule {
  /* A message is kept until all have it, and what comes before that is dropped. */
  THALWEG_NIC_RULE_ROOM = THALWEG_NIC_RULES,
  THALWEG_NIC_RULE_WRITE, /* a segment is written once */
  THALWEG_NIC_RULE_IMPLY, /* who speaks of an epoch has the whole one a window before */
  THALWEG_NIC_RULE_PROBE, /* a card below that holds up others is asked what it has */
  THALWEG_NIC_RULE_REPLY, /* who is asked says what it has */
  THALWEG_NIC_RELAY_RULES,
};

/* The state before the first epoch: as if there had been others. */
THALWEG_NIC_INLINE void thalweg_nic_begin(struct thalweg_nic_relay* relay, __u32 first_epoch) {
  for (__u32 number = 0; number < THALWEG_NIC_WINDOW; ++number) {
    const __u32 epoch = first_epoch + number;
    struct thalweg_nic_message* const message = &relay->messages[epoch % THALWEG_NIC_WINDOW];
    message->epoch = epoch - THALWEG_NIC_WINDOW;
    message->bytes = 1;
    message->have = message->begun = 1;
    message->acknowledged = ~0ULL;
  }
}

THALWEG_NIC_INLINE __u32 thalweg_nic_segments(const struct thalweg_nic_group* group, __u32 bytes) {
  return (bytes + group->segment_bytes - 1) / group->segment_bytes;
}

THALWEG_NIC_INLINE __u64 thalweg_nic_whole(const struct thalweg_nic_group* group, __u32 bytes) {
  const __u32 missing = THALWEG_NIC_SEGMENTS - thalweg_nic_segments(group, bytes);
  return ~0ULL >> (missing & (THALWEG_NIC_SEGMENTS - 1));
}

/* How long a segment is; 0 where a message of so many bytes has no such segment. */
THALWEG_NIC_INLINE __u32 thalweg_nic_segment_bytes(const struct thalweg_nic_group* group, __u32 bytes,
                                                   __u32 segment) {
  const __u32 first = segment * group->segment_bytes;
  if (segment >= THALWEG_NIC_SEGMENTS || bytes > (__u32)THALWEG_NIC_SEGMENTS * group->segment_bytes ||
      first >= bytes)
    return 0;
  return bytes - first < group->segment_bytes ? bytes - first : group->segment_bytes;
}

/* The cards below, a bit for each. */
THALWEG_NIC_INLINE __u64 thalweg_nic_below(const struct thalweg_nic_group* group) {
  if (group->locals >= THALWEG_NIC_CONTRIBUTORS)
    return 0;
  return thalweg_nic_all(group) & ~0ULL << (group->locals & (THALWEG_NIC_CONTRIBUTORS - 1));
}

THALWEG_NIC_INLINE int thalweg_nic_is_whole(const struct thalweg_nic_group* group,
                                            const struct thalweg_nic_message* message) {
  return message->bytes != 0 && message->have == thalweg_nic_whole(group, message->bytes);
}

/* Has it everywhere below arrived? */
THALWEG_NIC_INLINE int thalweg_nic_is_passed_on(const struct thalweg_nic_group* group,
                                                const struct thalweg_nic_message* message) {
  return thalweg_nic_is_whole(group, message) && (thalweg_nic_below(group) & ~message->acknowledged) == 0;
}

THALWEG_NIC_INLINE void thalweg_nic_report(const struct thalweg_nic_group* group,
                                           struct thalweg_nic_errand* errand, __u32 epoch, __u64 have) {
  if (!group->has_parent)
    return;
  errand->actions |= THALWEG_NIC_REPORT;
  errand->above = epoch;
  errand->have = have;
}

/* Asks the cards below that hold a message up. */
THALWEG_NIC_INLINE void thalweg_nic_probe(const struct thalweg_nic_group* group,
                                          const struct thalweg_nic_message* message,
                                          struct thalweg_nic_errand* errand) {
  if (!THALWEG_NIC_KEEPS(THALWEG_NIC_RULE_PROBE) || !thalweg_nic_is_whole(group, message) ||
      thalweg_nic_is_passed_on(group, message))
    return;
  errand->actions |= THALWEG_NIC_FORWARD;
  errand->epoch = message->epoch;
  errand->bytes = message->bytes;
  errand->segment = 0;
  errand->to = thalweg_nic_below(group) & ~message->acknowledged;
  errand->asks = 1;
}

/* Gives the place to an epoch, if there is room; `is_taken`: the host's ranks have taken the one a window
 * before. Is that epoch there? */
THALWEG_NIC_INLINE int thalweg_nic_open(const struct thalweg_nic_group* group,
                                        struct thalweg_nic_message* message, __u32 epoch, int is_taken,
                                        struct thalweg_nic_errand* errand) {
  if (message->epoch == epoch)
    return 1;
  if (epoch - message->epoch != THALWEG_NIC_WINDOW)
    return 0;
  if (THALWEG_NIC_KEEPS(THALWEG_NIC_RULE_ROOM) && (!is_taken || !thalweg_nic_is_passed_on(group, message))) {
    message->wanted = 1;
    thalweg_nic_probe(group, message, errand);
    return 0;
  }
  message->have = message->begun = message->acknowledged = message->asked = 0;
  message->epoch = epoch;
  message->bytes = message->wanted = 0;
  return 1;
}

/* A segment has come, from the card above or the root's rank. Is it to be written, before
 * thalweg_nic_written? */
THALWEG_NIC_INLINE int thalweg_nic_offer(const struct thalweg_nic_group* group,
                                         struct thalweg_nic_relay* relay, __u32 epoch, __u32 bytes,
                                         __u32 segment, __u32 asks, int is_taken,
                                         struct thalweg_nic_errand* errand) {
  struct thalweg_nic_message* const message = &relay->messages[epoch % THALWEG_NIC_WINDOW];
  const __u64 bit = 1ULL << (segment & (THALWEG_NIC_SEGMENTS - 1));
  if (!thalweg_nic_open(group, message, epoch, is_taken, errand))
    return 0;
  if (thalweg_nic_segment_bytes(group, bytes, segment) == 0 ||
      (message->bytes != 0 && message->bytes != bytes))
    return 0;
  message->bytes = bytes;
  if ((message->begun & bit) != 0 && THALWEG_NIC_KEEPS(THALWEG_NIC_RULE_WRITE)) {
    if (asks && THALWEG_NIC_KEEPS(THALWEG_NIC_RULE_REPLY))
      thalweg_nic_report(group, errand, epoch, message->have);
    return 0;
  }
  message->begun |= bit;
  return 1;
}

/* The segment was written. */
THALWEG_NIC_INLINE void thalweg_nic_written(const struct thalweg_nic_group* group,
                                            struct thalweg_nic_relay* relay, __u32 epoch, __u32 segment,
                                            __u32 asks, struct thalweg_nic_errand* errand) {
  struct thalweg_nic_message* const message = &relay->messages[epoch % THALWEG_NIC_WINDOW];
  if (message->epoch != epoch)
    return;
  message->have |= 1ULL << (segment & (THALWEG_NIC_SEGMENTS - 1));
  errand->epoch = epoch;
  errand->bytes = message->bytes;
  errand->segment = segment;
  errand->to = thalweg_nic_below(group);
  errand->asks = 0;
  errand->is_at_hand = 1;
  if (errand->to != 0)
    errand->actions |= THALWEG_NIC_FORWARD;
  if (thalweg_nic_is_whole(group, message)) {
    errand->actions |= THALWEG_NIC_END;
    if (errand->to == 0) {
      errand->actions |= THALWEG_NIC_FREE;
      errand->freed = epoch;
    }
  } else if (!asks) {
    return;
  }
  thalweg_nic_report(group, errand, epoch, message->have);
}

THALWEG_NIC_INLINE void thalweg_nic_acknowledge(const struct thalweg_nic_group* group,
                                                struct thalweg_nic_message* message, __u64 bit,
                                                struct thalweg_nic_errand* errand) {
  if ((message->acknowledged & bit) != 0)
    return;
  message->acknowledged |= bit;
  if (!thalweg_nic_is_passed_on(group, message))
    return;
  errand->actions |= THALWEG_NIC_FREE;
  errand->freed = message->epoch;
  if (message->wanted)
    thalweg_nic_report(group, errand, message->epoch + THALWEG_NIC_WINDOW, 0);
}

/* A card below says which segments of an epoch it has, and wants the others. */
THALWEG_NIC_INLINE void thalweg_nic_hear(const struct thalweg_nic_group* group,
                                         struct thalweg_nic_relay* relay, __u32 contributor, __u32 epoch,
                                         __u64 have, int is_taken, struct thalweg_nic_errand* errand) {
  struct thalweg_nic_message* const message = &relay->messages[epoch % THALWEG_NIC_WINDOW];
  const __u64 bit = 1ULL << (contributor & (THALWEG_NIC_CONTRIBUTORS - 1));
  if (epoch - message->epoch == THALWEG_NIC_WINDOW && THALWEG_NIC_KEEPS(THALWEG_NIC_RULE_IMPLY) &&
      thalweg_nic_is_whole(group, message))
    thalweg_nic_acknowledge(group, message, bit, errand);
  if (!thalweg_nic_open(group, message, epoch, is_taken, errand))
    return;
  message->asked |= bit;
  if (message->bytes != 0) {
    const __u64 whole = thalweg_nic_whole(group, message->bytes);
    if ((have & whole) == whole) {
      if (thalweg_nic_is_whole(group, message))
        thalweg_nic_acknowledge(group, message, bit, errand);
      return;
    }
    errand->actions |= THALWEG_NIC_RESEND;
    errand->epoch = epoch;
    errand->bytes = message->bytes;
    errand->segments = message->have & ~have;
    errand->asks = 0;
  }
  if (!thalweg_nic_is_whole(group, message))
    thalweg_nic_report(group, errand, epoch, message->have);
}

/* A rank of this host waits for an epoch: the root's for room for it. Or the agent sees that something does
 * not go on: `local` is then no rank. */
THALWEG_NIC_INLINE void thalweg_nic_ask(const struct thalweg_nic_group* group,
                                        struct thalweg_nic_relay* relay, __u32 local, __u32 epoch,
                                        int is_taken, struct thalweg_nic_errand* errand) {
  struct thalweg_nic_message* const message = &relay->messages[epoch % THALWEG_NIC_WINDOW];
  if (!thalweg_nic_open(group, message, epoch, is_taken, errand))
    return;
  if (local < THALWEG_NIC_CONTRIBUTORS)
    message->asked |= 1ULL << (local & (THALWEG_NIC_CONTRIBUTORS - 1));
  if (thalweg_nic_is_whole(group, message))
    thalweg_nic_probe(group, message, errand);
  else
    thalweg_nic_report(group, errand, epoch, message->have);
}

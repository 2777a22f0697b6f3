/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * What a process and its host's agent tell each other, over a Unix socket of packets, in the host's order.
 *
 * The socket's name is abstract, so it belongs to the network namespace, as the device does. A process has a
 * connection for each group that it is a member of, and leaves the group by closing it.
 */

#include "nic/inbox.h"
#include "nic/relay.h"

#define THALWEG_NIC_AGENT "thalweg-nic"

enum thalweg_nic_request_kind {
  THALWEG_NIC_HELLO = 1,  /* is there an agent, of this version, and on which address? */
  THALWEG_NIC_JOIN = 2,   /* makes the group on this host, or joins it: gives a page, a socket, a doorbell */
  THALWEG_NIC_STATUS = 3, /* version and kind are enough: gives a text in JSON instead of a reply */
  THALWEG_NIC_ENROLL = 4, /* has an aggregator's agent make the group there; the answer may take a second */
  THALWEG_NIC_ASK_OPERATOR = 5, /* has it that operator of users, and which version of it? */
};

enum thalweg_nic_operator_name { THALWEG_NIC_OPERATOR_NAME = 32 /* bytes, with the 0 behind it */ };

struct thalweg_nic_request {
  __u32 version;
  __u32 kind;
  __u32 local;      /* who of the group's contributors on this host asks */
  __u32 aggregator; /* of ENROLL: where, in network order */
  struct thalweg_nic_group group;
  __s32 ranks[THALWEG_NIC_CONTRIBUTORS]; /* by contributor: the rank, or the first one of the card below */
  char operator_name[THALWEG_NIC_OPERATOR_NAME]; /* of ASK_OPERATOR */
};

struct thalweg_nic_reply {
  __u32 version;
  __u32 refused;        /* 0: done */
  __u32 address;        /* the device's, in network order */
  __u32 mtu;            /* the device's: bytes of a packet with its IP header */
  char reason[108];     /* where all versions have it */
  __u32 aggregator;     /* a card without ranks that this host's groups may have; 0: none, in network order */
  __u32 spine;          /* one that has that one below it; 0: none, or not known yet */
  __u32 operator_words; /* of ASK_OPERATOR: an element's */
  __u64 operator_digest;
};

/* The page that is shared with a group's ranks, which look there for ends. In each array by place in the
 * window. */
struct thalweg_nic_page {
  __u32 ended[THALWEG_NIC_WINDOW]; /* written last */
  union {
    __u64 words[THALWEG_NIC_WINDOW][THALWEG_NIC_WORDS];
    /* Of broadcasts, by local rank: the last epoch that it needs no more. Ranks write it. */
    __u32 taken[THALWEG_NIC_WINDOW][THALWEG_NIC_CONTRIBUTORS];
  };
  __u32 counts[THALWEG_NIC_WINDOW]; /* of words; more than fit there are in a row behind the page */
  __u32 last[THALWEG_NIC_WINDOW];   /* who came last, from 1 on; 0: not known */
  __u32 waited_us[THALWEG_NIC_WINDOW];
  __u32 sleepers;                   /* ranks that want the group's doorbell to be rung at an end */
  __u32 freed[THALWEG_NIC_WINDOW];  /* the last broadcast that all cards below have */
  __u32 wanted[THALWEG_NIC_WINDOW]; /* the broadcast that had no room, as ranks here had not taken another */
  __u32 dissolved;                  /* written by ranks: none of the group's needs it any more, on any host */
};

/* Of a group for broadcasts, segments follow the page: for each place of the window all that one may have. Of
 * one that gathers, rows do. */
enum thalweg_nic_page_bytes {
  THALWEG_NIC_PAGE_SEGMENTS = 2,
  THALWEG_NIC_PAGE_BYTES = THALWEG_NIC_PAGE_SEGMENTS * THALWEG_NIC_SEGMENT_BYTES,
  THALWEG_NIC_STORE_PAGES = THALWEG_NIC_WINDOW * THALWEG_NIC_SEGMENTS / THALWEG_NIC_PAGE_SEGMENTS,
  THALWEG_NIC_PAGE_ROWS = 2,
  THALWEG_NIC_ROW_PAGES = THALWEG_NIC_WINDOW / THALWEG_NIC_PAGE_ROWS,
  THALWEG_NIC_DOORBELL_BYTES = 4096
};

/* Of a group for inboxes, first a desk for each rank of the host, then for each of them its cells follow the
 * page, by place. A desk is what the rank looks at. */
struct thalweg_nic_desk {
  struct thalweg_nic_match matches[THALWEG_NIC_RECEIVES]; /* by number */
  __u64 credits[THALWEG_NIC_CONTRIBUTORS];                /* by rank that this one sends to */
  __u32 released[THALWEG_NIC_CONTRIBUTORS];               /* by source; written by the rank (nic/inbox.h) */
  __u32 wanted[THALWEG_NIC_CONTRIBUTORS];                 /* by source: it was told that there is no room */
};

/* All cells that a group may have on a host. */
enum thalweg_nic_cells { THALWEG_NIC_CELLS = 4096 };

/* Entries of a group's shared memory, each of THALWEG_NIC_PAGE_BYTES. */
THALWEG_NIC_INLINE __u32 thalweg_nic_pages(const struct thalweg_nic_group* group) {
  const __u32 cells = (__u32)group->locals * group->contributors * group->width;
  if (group->width != 0)
    return 1 + group->locals + (cells + THALWEG_NIC_PAGE_SEGMENTS - 1) / THALWEG_NIC_PAGE_SEGMENTS;
  return 1 + (group->segment_bytes != 0 ? (__u32)THALWEG_NIC_STORE_PAGES : (__u32)THALWEG_NIC_ROW_PAGES);
}

/* Is a contributor a rank of the host at that address? */
THALWEG_NIC_INLINE int thalweg_nic_is_here(const struct thalweg_nic_group* group, __u32 contributor,
                                           __u32 address) {
  return group->width != 0 ? group->below[contributor].address == address : contributor < group->locals;
}

/* What agents tell a group's ranks, behind the ends in their page: somebody is gone, and takes no part in any
 * epoch after `after`. */
struct thalweg_nic_departure {
  __u32 kind; /* thalweg_nic_departure_kind, written last */
  __s32 rank; /* -1: not known, as of the host above */
  __u32 after;
  __u32 unused;
  char host[48];
};

enum thalweg_nic_departure_kind {
  THALWEG_NIC_NOBODY_LEFT = 0,
  THALWEG_NIC_PROCESS_ENDED = 1,
  THALWEG_NIC_HOST_SILENT = 2,
  THALWEG_NIC_AGENT_ENDED = 3, /* its host answers */
  THALWEG_NIC_DISSOLVED = 4,   /* among agents: nobody is gone, and the group is needed no more */
};

enum thalweg_nic_departure_at { THALWEG_NIC_DEPARTURE_AT = 2560 };

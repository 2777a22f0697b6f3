/* SPDX-License-Identifier: BSD-3-Clause */
/* The way of items into a stream and out of it, without a call for each: thalweg/stream.hpp inlines it.
 *
 * A rank has a link for each peer that it sends to. A link is the rest of a buffer: the next item goes to
 * `next`, and once that has reached `end`, refill() sends the buffer and provides another one.
 *
 * Ranks are the cells of a virtual mesh, cell = c0 + side0 * (c1 + side1 * (c2 + ..)). An item travels
 * along the first dimension in which its place differs from the holder's, then along the next one. Along
 * the last dimension items travel bare; before it, each stands behind its tag: the quotient that is left
 * of its cell, c(d+1) + side(d+1) * (..), in tag_bytes bytes of the machine's order. */
#ifndef THALWEG_STREAM_LINKS_H
#define THALWEG_STREAM_LINKS_H

#include "thalweg/status.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Behind each buffer so many bytes belong to it too: items may be prefetched so far ahead. With two ranks on
 * cores that share no second-level cache this makes 5.2 ns an 8 B item 2.6. */
#define THALWEG_STREAM_AHEAD 512

typedef struct thalweg_stream_link {
  char* next;
  char* end; /* of whole items; both are NULL where the link has no buffer */
} thalweg_stream_link;

/* Through this word the peer of a link sees how far the buffer is filled: origin + next, stored in `seen`
 * once the items are written. All zeros if the peer cannot look: it is on another node, or no buffer is
 * free. */
typedef struct thalweg_stream_window {
  uint64_t* seen;
  uint64_t origin;
  const uint32_t* sleepers; /* not 0: he sleeps, and has to be woken */
} thalweg_stream_window;

typedef struct thalweg_stream_dimension {
  uint32_t side;
  uint32_t own;        /* this rank's coordinate */
  uint32_t first_link; /* of coordinate 0; the link of one's own is that to oneself in the last dimension */
  uint64_t reciprocal; /* n / side is the upper half of n * reciprocal, for n below 2^32 (Lemire 2019) */
} thalweg_stream_dimension;

/* thalweg_stream_view: from interfaces/stream_links.toml */
/* The contents may change with each call of a function of the stream, as its mesh may. */
typedef struct thalweg_stream_view {
  /* Sends the link's items, and makes room for `bytes` more: 0, or a thalweg_status. */
  int (*refill)(void* stream, uint32_t link, size_t bytes);
  /* A handler fails, for this reason: all ranks are told when the phase ends. */
  int (*fail)(void* stream, const char* why);
  /* Sends the link's items, as its peer cannot see them or does not look: at once, or soon if that would
   * be done too often. Does not wait. */
  int (*hurry)(void* stream, uint32_t link, int at_once);
  void* stream; /* their first argument */
  thalweg_stream_link* links;
  const thalweg_stream_window* windows; /* of the links */
  const thalweg_stream_dimension* dimension;
  const uint32_t* cells; /* of the ranks; NULL if rank r is cell r */
  uint32_t dimensions;
  uint32_t ranks;
  uint32_t rank;
  uint32_t shares_memory;  /* with the other ranks of its node */
  uint32_t tag_bytes;      /* 2 or 4 */
  uint32_t max_item_bytes; /* that any buffer of any rank holds, the tag included */
  uint32_t has_sent;       /* set by a sender that puts an item of its own into a link */
  /* set while a handler of the program runs: refilling does not wait then */
  uint32_t in_handler;
  /* of items that forward() has delivered here in this phase: it counts them */
  uint64_t delivered_bytes;
} thalweg_stream_view;
/* end of thalweg_stream_view */

/* thalweg_stream_handler: from interfaces/stream_links.toml */
/* The treatment of arriving items. All functions may put items into links, and return 0, or something
 * else after fail(). */
typedef struct thalweg_stream_handler {
  size_t size THALWEG_DEFAULT(sizeof(thalweg_stream_handler));
  void* context THALWEG_DEFAULT(NULL);
  /* Bare items, `bytes` of them together. */
  int (*deliver)(void* context, const char* items, size_t bytes) THALWEG_DEFAULT(NULL);
  /* Items behind tags, which have come along `dimension`: each is delivered, or goes into the link of a
   * later dimension. NULL: that is done for items of item_bytes, and deliver() gets those that have
   * arrived, together and aligned to 16 bytes. */
  int (*forward)(void* context, const char* items, size_t bytes, uint32_t dimension) THALWEG_DEFAULT(NULL);
  /* Puts into links the items that the program has sent and holds back: after a period, when links are
   * flushed, and before a phase ends. NULL: no items are held back. */
  int (*release)(void* context) THALWEG_DEFAULT(NULL);
  /* Items of the program behind tags of four bytes: each is for the rank 2 * tag + odd, and goes into a
   * link. They were sent while a phase ended, for the next one. Given if and only if forward is. */
  int (*resend)(void* context, const char* items, size_t bytes, uint32_t odd) THALWEG_DEFAULT(NULL);
} thalweg_stream_handler;
#define THALWEG_STREAM_HANDLER_INIT                                                                          \
  { sizeof(thalweg_stream_handler), NULL, NULL, NULL, NULL, NULL }
/* end of thalweg_stream_handler */

#ifdef __cplusplus
}
#endif

#endif

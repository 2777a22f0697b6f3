/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* Broadcasts of a host's card (nic/relay.h): segments are kept behind the group's page, where ranks read
 * them. */

#include "nic/programs/frame.h"

struct relay_frame {
  struct frame frame;
  struct thalweg_nic_part part;
} __attribute__((packed));

/* Where a segment of the message at a place of the window is kept. */
static __always_inline void* kept(__u32 index, __u32 epoch, __u32 segment) {
  const __u32 number = epoch % THALWEG_NIC_WINDOW * THALWEG_NIC_SEGMENTS + segment % THALWEG_NIC_SEGMENTS;
  const __u32 page = 1 + number / THALWEG_NIC_PAGE_SEGMENTS;
  void* const map = bpf_map_lookup_elem(&pages, &index);
  void* const segments = map ? bpf_map_lookup_elem(map, &page) : 0;
  return segments ? segments + number % THALWEG_NIC_PAGE_SEGMENTS * THALWEG_NIC_SEGMENT_BYTES : 0;
}

/* Have all ranks of this host taken the message a window before? If not, they see that it is in the way. */
static __always_inline int is_taken(struct thalweg_nic_page* page, __u32 locals, __u32 epoch) {
  const __u32 place = epoch % THALWEG_NIC_WINDOW;
  for (int look = 0; look < 2; ++look) {
    __u32 local = 0;
    for (; local < THALWEG_NIC_CONTRIBUTORS && local < locals; ++local)
      if (((volatile __u32*)page->taken[place])[local] != epoch - THALWEG_NIC_WINDOW)
        break;
    if (local >= locals)
      return 1;
    __sync_lock_test_and_set(&page->wanted[place], epoch);
  }
  return 0;
}

static __always_inline int take_part(struct __sk_buff* skb, struct arrival* at) {
  struct thalweg_nic_part* const part = &at->part;
  if (bpf_skb_load_bytes(skb, sizeof(struct frame), part, sizeof *part))
    return -1;
  part->have = thalweg_nic_order64(part->have);
  part->bytes = thalweg_nic_order32(part->bytes);
  part->segment = thalweg_nic_order16(part->segment);
  part->asks = thalweg_nic_order16(part->asks);
  __builtin_memset(&at->errand, 0, sizeof at->errand);
  return 0;
}

/* Makes the packet at hand a segment of the errand's message, for anybody; gives the sum of its IP header so
 * far, or 0 where that cannot be. `is_at_hand`: its bytes are there already. */
static __always_inline __u32 make_segment(struct __sk_buff* skb, const struct arrival* at,
                                          const struct thalweg_nic_group* group, struct relay_frame* made,
                                          __u32 segment, int is_at_hand) {
  const struct thalweg_nic_content none = {0};
  const struct thalweg_nic_errand* const errand = &at->errand;
  __u32 bytes = thalweg_nic_segment_bytes(group, errand->bytes, segment);
  __builtin_memset(made, 0, sizeof *made);
  thalweg_nic_write(&made->frame.packet, group, THALWEG_NIC_DOWN, errand->epoch, &none);
  made->part.bytes = thalweg_nic_order32(errand->bytes);
  made->part.segment = thalweg_nic_order16(segment);
  made->part.asks = thalweg_nic_order16(errand->asks);
  const __u32 sum = begin(&made->frame, at, sizeof made->part + bytes);
  if (!is_at_hand) {
    const void* const from = kept(at->index, errand->epoch, segment);
    if (!from || (skb->len != sizeof *made + bytes && bpf_skb_change_tail(skb, sizeof *made + bytes, 0)))
      return 0;
    asm volatile("" : "+r"(bytes)); /* checked once more, where the verifier sees it */
    if (bytes == 0 || bytes > THALWEG_NIC_SEGMENT_BYTES ||
        bpf_skb_store_bytes(skb, sizeof *made, from, bytes, 0))
      return 0;
  }
  return bpf_skb_store_bytes(skb, 0, made, sizeof *made, 0) ? 0 : sum;
}

/* Sends a clone of the packet at hand to a card below. */
static __always_inline void send_clone(struct __sk_buff* skb, struct relay_frame* made, __u32 sum,
                                       const struct next_hops* next, __u32 child, __u32 address) {
  if (next->hardware[child] == 0) /* it was never heard of, and asks when it wants something */
    return;
  __builtin_memcpy(made->frame.ethernet.h_dest, &next->hardware[child], ETH_ALEN);
  __builtin_memcpy(made->frame.ethernet.h_source, &next->own[child], ETH_ALEN);
  address_to(&made->frame, sum, address);
  if (!bpf_skb_store_bytes(skb, 0, made, offsetof(struct frame, udp), 0))
    bpf_clone_redirect(skb, next->device[child], 0);
}

/* Sends a segment to cards below. */
__attribute__((noinline)) int forward(struct __sk_buff* skb) {
  struct relay_frame made;
  const struct arrival* const at = at_hand();
  if (!at)
    return 0;
  const struct thalweg_nic_group* const group = bpf_map_lookup_elem(&groups, &at->index);
  const struct next_hops* const next = bpf_map_lookup_elem(&hops, &at->index);
  if (!group || !next)
    return 0;
  const __u64 to = at->errand.to;
  const __u32 sum = make_segment(skb, at, group, &made, at->errand.segment, at->errand.is_at_hand);
  if (sum == 0)
    return 0;
  for (__u32 child = 0; child < THALWEG_NIC_CONTRIBUTORS; ++child)
    if (to >> child & 1)
      send_clone(skb, &made, sum, next, child, group->below[child].address);
  return 0;
}

/* Sends segments to the card that has said what it has. */
__attribute__((noinline)) int resend(struct __sk_buff* skb) {
  struct relay_frame made;
  const struct arrival* const at = at_hand();
  if (!at)
    return 0;
  const struct thalweg_nic_group* const group = bpf_map_lookup_elem(&groups, &at->index);
  const struct next_hops* const next = bpf_map_lookup_elem(&hops, &at->index);
  if (!group || !next)
    return 0;
  const __u64 segments = at->errand.segments;
  const __u32 child = at->contributor & (THALWEG_NIC_CONTRIBUTORS - 1);
  for (__u32 segment = 0; segment < THALWEG_NIC_SEGMENTS; ++segment) {
    if (!(segments >> segment & 1))
      continue;
    const __u32 sum = make_segment(skb, at, group, &made, segment, 0);
    if (sum)
      send_clone(skb, &made, sum, next, child, group->below[child].address);
  }
  return 0;
}

/* Tells the card above what this one has. */
static __always_inline int report(struct __sk_buff* skb, const struct arrival* at,
                                  const struct thalweg_nic_group* group) {
  struct relay_frame made;
  const struct thalweg_nic_content none = {0};
  __builtin_memset(&made, 0, sizeof made);
  thalweg_nic_write(&made.frame.packet, group, THALWEG_NIC_UP, at->errand.above, &none);
  made.part.have = thalweg_nic_order64(at->errand.have);
  const __u32 sum = begin(&made.frame, at, sizeof made.part);
  address_to(&made.frame, sum, group->parent.address);
  if ((skb->len != sizeof made && bpf_skb_change_tail(skb, sizeof made, 0)) ||
      bpf_skb_store_bytes(skb, 0, &made, sizeof made, 0))
    return SWALLOWED;
  return send_on(skb, group->parent.address);
}

/* Does what the protocol asks for, with the packet at hand. */
__attribute__((noinline)) int run_errand(struct __sk_buff* skb) {
  struct arrival* const at = at_hand();
  if (!at || at->errand.actions == 0)
    return SWALLOWED;
  const struct thalweg_nic_errand* const errand = &at->errand;
  const struct thalweg_nic_group* const group = bpf_map_lookup_elem(&groups, &at->index);
  struct thalweg_nic_page* const page = page_of(at->index);
  if (!group || !page)
    return SWALLOWED;
  if (errand->actions & THALWEG_NIC_END)
    __sync_lock_test_and_set(&page->ended[errand->epoch % THALWEG_NIC_WINDOW], errand->epoch);
  if (errand->actions & THALWEG_NIC_FREE)
    __sync_lock_test_and_set(&page->freed[errand->freed % THALWEG_NIC_WINDOW], errand->freed);
  if (errand->actions & (THALWEG_NIC_END | THALWEG_NIC_FREE))
    ring(page, at->index);
  if (errand->actions & THALWEG_NIC_FORWARD)
    forward(skb);
  if (errand->actions & THALWEG_NIC_RESEND)
    resend(skb);
  return errand->actions & THALWEG_NIC_REPORT ? report(skb, at, group) : SWALLOWED;
}

/* The packet at hand has a segment: keeps it. */
static __always_inline void keep(struct __sk_buff* skb, struct arrival* at,
                                 const struct thalweg_nic_group* group, struct guarded_state* guarded,
                                 struct thalweg_nic_page* page) {
  const struct thalweg_nic_part* const part = &at->part;
  const __u32 segment = part->segment & (THALWEG_NIC_SEGMENTS - 1);
  __u32 bytes = thalweg_nic_segment_bytes(group, part->bytes, part->segment);
  const int has_room = is_taken(page, group->locals, at->epoch);
  if (bytes == 0 || skb->len != sizeof(struct relay_frame) + bytes)
    return;
  bpf_spin_lock(&guarded->lock);
  const int is_new = thalweg_nic_offer(group, &guarded->relay, at->epoch, part->bytes, segment, part->asks,
                                       has_room, &at->errand);
  bpf_spin_unlock(&guarded->lock);
  if (!is_new)
    return;
  void* const to = kept(at->index, at->epoch, segment);
  asm volatile("" : "+r"(bytes)); /* checked once more, where the verifier sees it */
  if (!to || bytes == 0 || bytes > THALWEG_NIC_SEGMENT_BYTES ||
      bpf_skb_load_bytes(skb, sizeof(struct relay_frame), to, bytes))
    return;
  bpf_spin_lock(&guarded->lock);
  thalweg_nic_written(group, &guarded->relay, at->epoch, segment, part->asks, &at->errand);
  bpf_spin_unlock(&guarded->lock);
}

/* A segment has come from the card above. These leave it to the caller to run the errand, as the stack has no
 * room for both at once; not 0 where there is none. */
__attribute__((noinline)) int relay(struct __sk_buff* skb) {
  struct arrival* const at = at_hand();
  if (!at || take_part(skb, at))
    return -1;
  const struct thalweg_nic_group* const group = bpf_map_lookup_elem(&groups, &at->index);
  struct guarded_state* const guarded = bpf_map_lookup_elem(&states, &at->index);
  struct thalweg_nic_page* const page = page_of(at->index);
  if (!group || !guarded || !page)
    return -1;
  keep(skb, at, group, guarded, page);
  return 0;
}

/* A card below has told what it has. */
__attribute__((noinline)) int hear(struct __sk_buff* skb) {
  struct arrival* const at = at_hand();
  if (!at || take_part(skb, at))
    return -1;
  const struct thalweg_nic_group* const group = bpf_map_lookup_elem(&groups, &at->index);
  struct guarded_state* const guarded = bpf_map_lookup_elem(&states, &at->index);
  struct thalweg_nic_page* const page = page_of(at->index);
  if (!group || !guarded || !page)
    return -1;
  const int has_room = is_taken(page, group->locals, at->epoch);
  bpf_spin_lock(&guarded->lock);
  thalweg_nic_hear(group, &guarded->relay, at->contributor, at->epoch, at->part.have, has_room, &at->errand);
  bpf_spin_unlock(&guarded->lock);
  return 0;
}

/* A rank of this host gives a segment, or asks. */
__attribute__((noinline)) int ask(struct __sk_buff* skb) {
  struct arrival* const at = at_hand();
  if (!at || take_part(skb, at))
    return -1;
  const struct thalweg_nic_group* const group = bpf_map_lookup_elem(&groups, &at->index);
  struct guarded_state* const guarded = bpf_map_lookup_elem(&states, &at->index);
  struct thalweg_nic_page* const page = page_of(at->index);
  if (!group || !guarded || !page)
    return -1;
  if (at->part.bytes != 0) {
    if (group->has_parent || at->contributor != 0) /* only the root's rank has some */
      return -1;
    keep(skb, at, group, guarded, page);
    return 0;
  }
  const int has_room = is_taken(page, group->locals, at->epoch);
  const __u32 local = at->part.asks ? (__u32)THALWEG_NIC_CONTRIBUTORS : at->contributor;
  bpf_spin_lock(&guarded->lock);
  thalweg_nic_ask(group, &guarded->relay, local, at->epoch, has_room, &at->errand);
  bpf_spin_unlock(&guarded->lock);
  return 0;
}

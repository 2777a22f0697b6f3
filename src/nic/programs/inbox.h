/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* Inboxes of a host's ranks (nic/inbox.h): messages are kept behind the group's page, where ranks read them.
 */

#include "nic/programs/relay.h"

static __always_inline void* entry_of(__u32 index, __u32 number) {
  void* const map = bpf_map_lookup_elem(&pages, &index);
  return map ? bpf_map_lookup_elem(map, &number) : 0;
}

static __always_inline struct thalweg_nic_desk* desk_of(__u32 index, __u32 local) {
  return entry_of(index, 1 + local);
}

static __always_inline struct thalweg_nic_inbox* inbox_of(__u32 index, __u32 local) {
  void* const map = bpf_map_lookup_elem(&inboxes, &index);
  return map ? bpf_map_lookup_elem(map, &local) : 0;
}

/* The cell at a place of a rank's inbox. */
static __always_inline void* cell_at(__u32 index, const struct thalweg_nic_group* group, __u32 local,
                                     __u32 place) {
  const __u32 number = local * group->contributors * group->width + place - 1;
  void* const entry = entry_of(index, 1 + group->locals + number / THALWEG_NIC_PAGE_SEGMENTS);
  return entry ? entry + number % THALWEG_NIC_PAGE_SEGMENTS * THALWEG_NIC_SEGMENT_BYTES : 0;
}

/* Is a cell free? If not, the receiver sees that one is wanted. */
static __always_inline int has_room(const struct thalweg_nic_group* group, struct thalweg_nic_desk* desk,
                                    __u32 source, __u32 filled) {
  const volatile __u32* const released = &desk->released[source];
  if (thalweg_nic_free_cells(group, filled, *released))
    return 1;
  __sync_lock_test_and_set(&desk->wanted[source], 1);
  return thalweg_nic_free_cells(group, filled, *released) != 0;
}

/* Under the lock. Ranks look at the number first. */
static __always_inline void publish_match(struct thalweg_nic_desk* desk,
                                          const struct thalweg_nic_match* match) {
  struct thalweg_nic_match* const to = &desk->matches[match->receive % THALWEG_NIC_RECEIVES];
  to->source = match->source;
  to->tag = match->tag;
  to->sequence = match->sequence;
  to->bytes = match->bytes;
  to->place = match->place;
  __sync_lock_test_and_set(&to->receive, match->receive);
}

/* Makes the packet at hand one for the card of rank `to`. */
static __always_inline int make_message(struct __sk_buff* skb, struct arrival* at,
                                        const struct thalweg_nic_group* group, __u8 kind, __u32 number,
                                        __u32 from, __u32 to, __u32 what) {
  struct envelope_frame* const made = &at->made;
  const struct thalweg_nic_content none = {0};
  const __u32 carried = kind == THALWEG_NIC_MESSAGE ? thalweg_nic_carried(at->envelope.bytes) : 0;
  __builtin_memset(made, 0, sizeof *made);
  thalweg_nic_write(&made->frame.packet, group, kind, number, &none);
  made->frame.packet.contributor = from;
  made->envelope.tag = thalweg_nic_order32(at->envelope.tag);
  made->envelope.bytes = thalweg_nic_order32(at->envelope.bytes);
  made->envelope.to = thalweg_nic_order16(to);
  made->envelope.what = thalweg_nic_order16(what);
  const __u32 sum = begin(&made->frame, at, sizeof made->envelope + carried);
  const __u32 address = group->below[to & (THALWEG_NIC_CONTRIBUTORS - 1)].address;
  address_to(&made->frame, sum, address);
  if ((skb->len != sizeof *made + carried && bpf_skb_change_tail(skb, sizeof *made + carried, 0)) ||
      bpf_skb_store_bytes(skb, 0, made, sizeof *made, 0))
    return SWALLOWED;
  return send_on(skb, address);
}

/* A rank of this host has sent to `speaker`, which says how far that channel is. */
static __always_inline void note_credit(struct arrival* at, struct guarded_state* guarded,
                                        struct thalweg_nic_page* page, __u32 local, __u32 speaker,
                                        __u32 accepted, __u32 room) {
  struct thalweg_nic_desk* const desk = desk_of(at->index, local);
  if (!desk)
    return;
  __u64* const credit = &desk->credits[speaker & (THALWEG_NIC_CONTRIBUTORS - 1)];
  bpf_spin_lock(&guarded->lock);
  *(volatile __u64*)credit = thalweg_nic_credit(*credit, accepted, room);
  bpf_spin_unlock(&guarded->lock);
  ring(page, at->index);
}

/* Tells the sender of the message at hand how far its channel is. That is looked at first, and then whether
 * the next one has room: who makes room later sees that it is wanted. */
__attribute__((noinline)) int answer(struct __sk_buff* skb) {
  struct arrival* const at = at_hand();
  if (!at)
    return SWALLOWED;
  const struct thalweg_nic_group* const group = bpf_map_lookup_elem(&groups, &at->index);
  struct guarded_state* const guarded = bpf_map_lookup_elem(&states, &at->index);
  struct thalweg_nic_page* const page = page_of(at->index);
  if (!group || !guarded || !page)
    return SWALLOWED;
  const __u32 source = at->contributor & (THALWEG_NIC_CONTRIBUTORS - 1);
  const __u32 speaker = at->envelope.to & (THALWEG_NIC_CONTRIBUTORS - 1);
  const __u32 local = group->below[speaker].local;
  struct thalweg_nic_inbox* const inbox = inbox_of(at->index, local);
  struct thalweg_nic_desk* const desk = desk_of(at->index, local);
  if (!inbox || !desk)
    return SWALLOWED;
  bpf_spin_lock(&guarded->lock);
  const __u32 accepted = inbox->accepted[source];
  const __u32 filled = inbox->filled[source];
  bpf_spin_unlock(&guarded->lock);
  const __u32 room = has_room(group, desk, source, filled);
  if (group->below[source].address == at->own) {
    note_credit(at, guarded, page, group->below[source].local, speaker, accepted, room);
    return SWALLOWED;
  }
  return make_message(skb, at, group, THALWEG_NIC_CREDIT, accepted, speaker, source, room);
}

/* The message at hand is for a rank of this host. */
__attribute__((noinline)) int deliver(struct __sk_buff* skb) {
  struct arrival* const at = at_hand();
  if (!at)
    return SWALLOWED;
  const struct thalweg_nic_group* const group = bpf_map_lookup_elem(&groups, &at->index);
  struct guarded_state* const guarded = bpf_map_lookup_elem(&states, &at->index);
  struct thalweg_nic_page* const page = page_of(at->index);
  if (!group || !guarded || !page)
    return SWALLOWED;
  const __u32 source = at->contributor & (THALWEG_NIC_CONTRIBUTORS - 1);
  const __u32 local = group->below[at->envelope.to & (THALWEG_NIC_CONTRIBUTORS - 1)].local;
  struct thalweg_nic_inbox* const inbox = inbox_of(at->index, local);
  struct thalweg_nic_desk* const desk = desk_of(at->index, local);
  __u32 carried = thalweg_nic_carried(at->envelope.bytes);
  if (!inbox || !desk || skb->len != sizeof(struct envelope_frame) + carried)
    return SWALLOWED;
  bpf_spin_lock(&guarded->lock);
  const __u32 released = *(volatile __u32*)&desk->released[source];
  const __u32 place = thalweg_nic_offer_message(group, inbox, source, at->epoch, released);
  bpf_spin_unlock(&guarded->lock);
  void* const cell = place ? cell_at(at->index, group, local, place) : 0;
  if (!cell)
    return answer(skb);
  asm volatile("" : "+r"(carried)); /* checked once more, where the verifier sees it */
  if (carried != 0 && carried <= THALWEG_NIC_CARRIED_BYTES)
    bpf_skb_load_bytes(skb, sizeof(struct envelope_frame), cell, carried);
  bpf_spin_lock(&guarded->lock);
  const int is_matched =
      thalweg_nic_accept(inbox, place, source, at->epoch, at->envelope.tag, at->envelope.bytes, &at->match);
  if (is_matched)
    publish_match(desk, &at->match);
  bpf_spin_unlock(&guarded->lock);
  if (is_matched)
    ring(page, at->index);
  return answer(skb);
}

static __always_inline int take_envelope(struct __sk_buff* skb, struct arrival* at) {
  struct thalweg_nic_envelope* const envelope = &at->envelope;
  if (bpf_skb_load_bytes(skb, sizeof(struct frame), envelope, sizeof *envelope))
    return -1;
  envelope->tag = thalweg_nic_order32(envelope->tag);
  envelope->bytes = thalweg_nic_order32(envelope->bytes);
  envelope->to = thalweg_nic_order16(envelope->to);
  envelope->what = thalweg_nic_order16(envelope->what);
  return 0;
}

/* A rank of this host posts its receive. */
static __always_inline int post(struct arrival* at, const struct thalweg_nic_group* group,
                                struct guarded_state* guarded) {
  const __u32 local = group->below[at->contributor & (THALWEG_NIC_CONTRIBUTORS - 1)].local;
  struct thalweg_nic_inbox* const inbox = inbox_of(at->index, local);
  struct thalweg_nic_desk* const desk = desk_of(at->index, local);
  if (!inbox || !desk)
    return SWALLOWED;
  bpf_spin_lock(&guarded->lock);
  if (thalweg_nic_match_receive(inbox, at->epoch, at->envelope.to, at->envelope.tag, &at->match))
    publish_match(desk, &at->match);
  bpf_spin_unlock(&guarded->lock);
  return SWALLOWED;
}

/* A rank of this host wants something. */
__attribute__((noinline)) int wish(struct __sk_buff* skb) {
  struct arrival* const at = at_hand();
  if (!at || take_envelope(skb, at))
    return SWALLOWED;
  const struct thalweg_nic_group* const group = bpf_map_lookup_elem(&groups, &at->index);
  struct guarded_state* const guarded = bpf_map_lookup_elem(&states, &at->index);
  if (!group || !guarded)
    return SWALLOWED;
  const __u32 own = at->contributor;
  const __u32 other = at->envelope.to;
  if (at->envelope.what == THALWEG_NIC_RECEIVE)
    return post(at, group, guarded);
  if (other >= THALWEG_NIC_CONTRIBUTORS || other >= group->contributors)
    return SWALLOWED;
  if (at->envelope.what == THALWEG_NIC_RELEASE) {
    at->contributor = other;
    at->envelope.to = own;
    return answer(skb);
  }
  if (group->below[other].address == at->own)
    return deliver(skb);
  return make_message(skb, at, group, THALWEG_NIC_MESSAGE, at->epoch, own, other, 0);
}

/* Another card's packet has come: a message for a rank of this host, or an answer. */
__attribute__((noinline)) int receive(struct __sk_buff* skb) {
  const struct frame* const frame = frame_of(skb);
  struct counts* const counts = own_counts();
  struct arrival* const at = at_hand();
  if (!frame || !counts || !at || take_envelope(skb, at))
    return SWALLOWED;
  const struct thalweg_nic_group* const group = bpf_map_lookup_elem(&groups, &at->index);
  struct guarded_state* const guarded = bpf_map_lookup_elem(&states, &at->index);
  struct thalweg_nic_page* const page = page_of(at->index);
  if (!group || !guarded || !page)
    return SWALLOWED;
  const struct thalweg_nic_place from = {frame->ip.saddr, frame->udp.source, 0};
  const struct thalweg_nic_place own = {frame->ip.daddr, frame->udp.dest, 0};
  if (!thalweg_nic_admits_message(group, &frame->packet, at->envelope.to, &from, &own)) {
    ++counts->refused;
    return SWALLOWED;
  }
  at->own = own.address;
  at->epoch = thalweg_nic_order32(frame->packet.epoch);
  at->contributor = frame->packet.contributor;
  __builtin_memcpy(at->own_hardware, frame->ethernet.h_dest, ETH_ALEN);
  if (frame->packet.kind == THALWEG_NIC_MESSAGE) {
    ++counts->ups;
    return deliver(skb);
  }
  ++counts->downs;
  note_credit(at, guarded, page, group->below[at->envelope.to & (THALWEG_NIC_CONTRIBUTORS - 1)].local,
              at->contributor, at->epoch, at->envelope.what & 1);
  return SWALLOWED;
}

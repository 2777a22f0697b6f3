/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A host's card: two programs in its network device's packet path (nic/protocol.h). A switch's card is on its
 * bridge, or lo where it is a router, and all ports, and takes what is for the switch itself before it gets
 * there.
 *
 * `leaving` sees what the host sends, and swallows starts. `arriving` sees what other cards send. A packet
 * that completes something is itself rewritten and sent on. What belongs to no group is left as it is.
 */

#include "nic/programs/inbox.h"
#include "nic/programs/operators.h"

/* Where ranks look for more words than the page has room for. */
static __always_inline void publish_row(__u32 index, __u32 epoch, const struct thalweg_nic_content* result) {
  const __u32 place = epoch % THALWEG_NIC_WINDOW;
  const __u32 page = 1 + place / THALWEG_NIC_PAGE_ROWS;
  void* const map = bpf_map_lookup_elem(&pages, &index);
  __u64* const rows = map ? bpf_map_lookup_elem(map, &page) : 0;
  if (!rows)
    return;
  __u64* const row = rows + place % THALWEG_NIC_PAGE_ROWS * THALWEG_NIC_ROW;
  for (__u32 i = 0; i < THALWEG_NIC_ROW; ++i)
    row[i] = result->words[i];
}

/* Functions that are no part of their callers are looked at once by the verifier. */
__attribute__((noinline)) int publish(void) {
  const struct arrival* const at = at_hand();
  if (!at)
    return -1;
  struct thalweg_nic_page* const page = page_of(at->index);
  if (!page)
    return -1;
  const struct thalweg_nic_content* const result = &at->content;
  const __u32 place = at->epoch % THALWEG_NIC_WINDOW;
  __u64* const words = page->words[place];
  if (result->count > THALWEG_NIC_WORDS)
    publish_row(at->index, at->epoch, result);
  else
    THALWEG_NIC_EACH(result, 1, words[i] = result->words[i]);
  page->counts[place] = result->count;
  page->last[place] = result->last;
  page->waited_us[place] = result->waited_us;
  __sync_lock_test_and_set(&page->ended[place], at->epoch);
  ring(page, at->index);
  return 0;
}

/* The bytes behind the packet: as many as its words and at least those before them, where the verifier sees
 * it. */
static __always_inline __u32 bytes_behind(const struct thalweg_nic_content* content) {
  __u32 bytes = content->count * sizeof(__u64);
  asm volatile("" : "+r"(bytes));
  if (bytes > THALWEG_NIC_ROW * sizeof(__u64))
    bytes = 0;
  return THALWEG_NIC_ARRIVAL_BYTES + bytes;
}

/* From where it lies behind a count, as it does behind a packet. */
static __always_inline int load_words(struct __sk_buff* skb, struct thalweg_nic_content* content) {
  return bpf_skb_load_bytes(skb, sizeof(struct frame), &content->last, bytes_behind(content));
}

static __always_inline int store_words(struct __sk_buff* skb, const struct thalweg_nic_content* content) {
  return bpf_skb_store_bytes(skb, sizeof(struct frame), &content->last, bytes_behind(content), 0);
}

/* Fetches the words of the packet at hand, as many as it says; not 0 where it is shorter. */
__attribute__((noinline)) int fetch(struct __sk_buff* skb) {
  struct arrival* const at = at_hand();
  if (!at)
    return -1;
  thalweg_nic_clear(&at->content);
  if (load_words(skb, &at->content))
    return -1;
  thalweg_nic_reorder(&at->content);
  return 0;
}

/* Takes what the packet says, and its words. */
static __always_inline int take(struct __sk_buff* skb, const struct frame* frame, struct arrival* at) {
  at->epoch = thalweg_nic_order32(frame->packet.epoch);
  thalweg_nic_read(&frame->packet, &at->content);
  return fetch(skb);
}

/* Combines what all contributors to the epoch at hand have brought; not 0 where that cannot be. */
__attribute__((noinline)) int combine(__u32 contributors) {
  struct arrival* const at = at_hand();
  if (!at)
    return -1;
  for (__u32 contributor = 0; contributor < THALWEG_NIC_CONTRIBUTORS; ++contributor) {
    if (contributor >= contributors)
      break;
    const struct thalweg_nic_content* const cell = cell_of(at, contributors, contributor);
    if (!cell)
      return -1;
    if (contributor == 0)
      thalweg_nic_copy(&at->content, cell);
    else
      thalweg_nic_combine(&at->content, cell);
  }
  return 0;
}

/* Joins what a contributor to the epoch at hand has brought with the others'; not 0 where that cannot be. */
__attribute__((noinline)) int join(__u32 contributors, __u32 contributor) {
  struct arrival* const at = at_hand();
  const struct thalweg_nic_content* const cell = at ? cell_of(at, contributors, contributor) : 0;
  if (!cell)
    return -1;
  thalweg_nic_join(&at->content, cell);
  return 0;
}

/* Does so with those of all contributors. */
__attribute__((noinline)) int join_all(__u32 contributors) {
  struct arrival* const at = at_hand();
  if (!at)
    return -1;
  thalweg_nic_clear(&at->content);
  for (__u32 contributor = 0; contributor < THALWEG_NIC_CONTRIBUTORS && contributor < contributors;
       ++contributor)
    if (join(contributors, contributor))
      return -1;
  return 0;
}

/* Puts together what all have brought to the epoch at hand; not 0 where that cannot be. */
static __always_inline int put_together(const struct thalweg_nic_group* group,
                                        const struct thalweg_nic_content* content) {
  if (content->count == 0)
    return 0;
  if (group->operator_digest)
    return operate_all(group->operator_slot, group->contributors);
  return thalweg_nic_has_long_rows(content) ? join_all(group->contributors) : combine(group->contributors);
}

/* The packet at hand is an arrival. Gives what is to be done. */
static __always_inline __u32 arrive(struct arrival* at, const struct thalweg_nic_group* group,
                                    struct guarded_state* guarded) {
  struct thalweg_nic_content* const cell = cell_of(at, group->contributors, at->contributor);
  if (!cell)
    return THALWEG_NIC_NOTHING;
  at->now_us = bpf_ktime_get_ns() / 1000;
  bpf_spin_lock(&guarded->lock);
  __u32 actions =
      thalweg_nic_arrive(group, &guarded->state, cell, at->contributor, at->epoch, &at->content, at->now_us);
  bpf_spin_unlock(&guarded->lock);
  if (actions != THALWEG_NIC_COMBINE)
    return actions;
  if (put_together(group, &at->content))
    return THALWEG_NIC_NOTHING;
  bpf_spin_lock(&guarded->lock);
  actions = thalweg_nic_complete(group, &guarded->state, at->epoch, &at->content);
  bpf_spin_unlock(&guarded->lock);
  return actions;
}

/* Does what the protocol asks for, with the packet at hand. The verifier looks at it once, as it is no part
 * of its callers. */
__attribute__((noinline)) int act(struct __sk_buff* skb, __u32 actions) {
  struct frame frame;
  struct arrival* const at = at_hand();
  if (actions == THALWEG_NIC_NOTHING || !at)
    return SWALLOWED;
  struct thalweg_nic_content* const content = &at->content;
  const struct thalweg_nic_group* const group = bpf_map_lookup_elem(&groups, &at->index);
  const struct next_hops* const found = bpf_map_lookup_elem(&hops, &at->index);
  if (!group || !found)
    return SWALLOWED;
  if (actions & THALWEG_NIC_PUBLISH)
    publish();
  __builtin_memset(&frame, 0, sizeof frame);
  thalweg_nic_write(&frame.packet, group,
                    actions & THALWEG_NIC_NOTIFY_PARENT ? THALWEG_NIC_UP : THALWEG_NIC_DOWN, at->epoch,
                    content);
  const __u32 behind = THALWEG_NIC_ARRIVAL_BYTES + frame.packet.words * sizeof(__u64);
  const __u32 sum = begin(&frame, at, behind);
  const __u32 to = actions & THALWEG_NIC_NOTIFY_PARENT ? group->parent.address : at->other;
  address_to(&frame, sum, to);
  __builtin_memcpy(frame.ethernet.h_dest, at->other_hardware, ETH_ALEN);
  thalweg_nic_reorder(content); /* afterwards it is spent */
  /* A start on behalf of a rank comes without its words. */
  const __u32 bytes = sizeof frame + behind;
  if (skb->len != bytes && bpf_skb_change_tail(skb, bytes, 0))
    return SWALLOWED;
  if (store_words(skb, content) || bpf_skb_store_bytes(skb, 0, &frame, sizeof frame, 0))
    return SWALLOWED;
  if (actions & THALWEG_NIC_NOTIFY_PARENT)
    return send_on(skb, to);
  if (actions & THALWEG_NIC_ANSWER)
    return bpf_redirect(skb->ifindex, 0);
  for (__u32 child = 0; child < THALWEG_NIC_CONTRIBUTORS; ++child) {
    if (child < group->locals || child >= group->contributors)
      continue;
    __builtin_memcpy(frame.ethernet.h_dest, &found->hardware[child], ETH_ALEN);
    __builtin_memcpy(frame.ethernet.h_source, &found->own[child], ETH_ALEN);
    address_to(&frame, sum, group->below[child].address);
    bpf_skb_store_bytes(skb, 0, &frame, offsetof(struct frame, udp), 0);
    bpf_clone_redirect(skb, found->device[child], 0);
  }
  return SWALLOWED;
}

/* May this user start now? Processors that ask at once may count one start for two. */
static __always_inline int is_allowed(__u32 user) {
  struct allowance* const found = bpf_map_lookup_elem(&allowances, &user);
  if (!found || found->interval_ns == 0)
    return 1;
  const __u64 now_ns = bpf_ktime_get_ns();
  const __u64 next_ns = found->next_ns > now_ns ? found->next_ns : now_ns;
  if (next_ns > now_ns + BURST_NS)
    return 0;
  found->next_ns = next_ns + found->interval_ns;
  return 1;
}

SEC("tc")
int leaving(struct __sk_buff* skb) {
  const struct frame* const frame = frame_of(skb);
  if (!frame) /* what other traffic pays */
    return NOT_OURS;
  struct counts* const counts = own_counts();
  struct arrival* const at = at_hand();
  if (!counts || !at || frame->packet.kind != THALWEG_NIC_START ||
      frame->ip.daddr != thalweg_nic_order32(THALWEG_NIC_START_ADDRESS))
    return NOT_OURS;
  const __u64 cookie = bpf_get_socket_cookie(skb);
  const struct owner* const owner = bpf_map_lookup_elem(&owners, &cookie);
  if (!owner)
    return NOT_OURS;
  if (!is_allowed(owner->user)) {
    ++counts->held_back;
    return SWALLOWED;
  }
  ++counts->starts;
  at->index = owner->index;
  at->contributor = owner->contributor;
  at->own = frame->ip.saddr;
  __builtin_memcpy(at->own_hardware, frame->ethernet.h_source, ETH_ALEN);
  const struct thalweg_nic_group* const group = bpf_map_lookup_elem(&groups, &at->index);
  struct guarded_state* const guarded = bpf_map_lookup_elem(&states, &at->index);
  if (!group || !guarded || take(skb, frame, at))
    return SWALLOWED;
  if (group->width)
    return wish(skb);
  if (group->segment_bytes)
    return ask(skb) ? SWALLOWED : run_errand(skb);
  return act(skb, arrive(at, group, guarded));
}

SEC("tc")
int arriving(struct __sk_buff* skb) {
  const struct frame* const frame = frame_of(skb);
  if (!frame)
    return NOT_OURS;
  struct counts* const counts = own_counts();
  struct arrival* const at = at_hand();
  if (!counts || !at)
    return NOT_OURS;
  const __u32 id = thalweg_nic_order32(frame->packet.group);
  const __u32* const found = bpf_map_lookup_elem(&index_of_group, &id);
  const struct settings* const settings = own_settings();
  if (!found || !settings || frame->ip.daddr != settings->address)
    return NOT_OURS;
  at->index = *found;
  const struct thalweg_nic_group* const group = bpf_map_lookup_elem(&groups, &at->index);
  struct guarded_state* const guarded = bpf_map_lookup_elem(&states, &at->index);
  struct next_hops* const next = bpf_map_lookup_elem(&hops, &at->index);
  if (!group || !guarded || !next)
    return NOT_OURS;
  if (group->width)
    return receive(skb);
  if (!thalweg_nic_admits(group, &frame->packet, frame->ip.saddr, frame->udp.source)) {
    ++counts->refused;
    return SWALLOWED;
  }
  at->own = frame->ip.daddr;
  at->other = frame->ip.saddr;
  at->contributor = frame->packet.contributor & (THALWEG_NIC_CONTRIBUTORS - 1);
  __builtin_memcpy(at->own_hardware, frame->ethernet.h_dest, ETH_ALEN);
  __builtin_memcpy(at->other_hardware, frame->ethernet.h_source, ETH_ALEN);
  const int is_up = frame->packet.kind == THALWEG_NIC_UP;
  if (take(skb, frame, at))
    return SWALLOWED;
  if (is_up) {
    const __u32 place = at->contributor & (THALWEG_NIC_CONTRIBUTORS - 1);
    __u64 sender = 0;
    __u64 receiver = 0;
    __builtin_memcpy(&sender, at->other_hardware, ETH_ALEN);
    __builtin_memcpy(&receiver, at->own_hardware, ETH_ALEN);
    next->hardware[place] = sender;
    next->own[place] = receiver;
    next->device[place] = skb->ifindex;
    ++counts->ups;
  } else {
    ++counts->downs;
  }
  if (group->segment_bytes)
    return (is_up ? hear(skb) : relay(skb)) ? SWALLOWED : run_errand(skb);
  __u32 actions;
  if (is_up) {
    actions = arrive(at, group, guarded);
  } else {
    bpf_spin_lock(&guarded->lock);
    actions = thalweg_nic_release(group, &guarded->state, at->epoch, &at->content);
    bpf_spin_unlock(&guarded->lock);
  }
  return act(skb, actions);
}

/* With it the verifier looks at an operator of users alone; it is on no device. */
SEC("tc")
int trial(struct __sk_buff* skb) {
  struct arrival* const at = at_hand();
  (void)skb;
  return at ? operator_1(&at->operands) : -1;
}

const char of_license[] SEC("license") = "Dual BSD/GPL";

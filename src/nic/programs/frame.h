/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* What both kinds of groups do with frames, and with the page that ranks look at. */

#include "nic/programs/maps.h"

static __always_inline struct counts* own_counts(void) {
  const __u32 zero = 0;
  return bpf_map_lookup_elem(&counters, &zero);
}

static __always_inline const struct settings* own_settings(void) {
  const __u32 zero = 0;
  return bpf_map_lookup_elem(&own, &zero);
}

static __always_inline struct arrival* at_hand(void) {
  const __u32 zero = 0;
  return bpf_map_lookup_elem(&stage, &zero);
}

/* What a contributor has brought to the epoch at hand. */
static __always_inline struct thalweg_nic_content* cell_of(const struct arrival* at, __u32 contributors,
                                                           __u32 contributor) {
  void* const map = bpf_map_lookup_elem(&cells, &at->index);
  const __u32 place = at->epoch % THALWEG_NIC_WINDOW * contributors + contributor;
  return map ? bpf_map_lookup_elem(map, &place) : 0;
}

/* By which device a packet for an address leaves. */
static __always_inline __u32 device_to(struct __sk_buff* skb, const struct settings* settings,
                                       __u32 address) {
  struct arrival* const at = at_hand();
  if (!settings->routes || !at)
    return settings->device;
  struct bpf_fib_lookup* const route = &at->route;
  __builtin_memset(route, 0, sizeof *route);
  route->family = ADDRESS_FAMILY;
  route->l4_protocol = IPPROTO_UDP;
  route->ipv4_src = settings->address;
  route->ipv4_dst = address;
  route->ifindex = settings->device;
  const long found = bpf_fib_lookup(skb, route, sizeof *route, 0);
  return found == BPF_FIB_LKUP_RET_SUCCESS || found == BPF_FIB_LKUP_RET_NO_NEIGH ? route->ifindex
                                                                                 : settings->device;
}

/* Sends the packet at hand to the address that it is for. */
static __always_inline int send_on(struct __sk_buff* skb, __u32 address) {
  const struct settings* const settings = own_settings();
  return settings ? bpf_redirect_neigh(device_to(skb, settings, address), 0, 0, 0) : SWALLOWED;
}

static __always_inline struct thalweg_nic_page* page_of(__u32 index) {
  const __u32 first = 0;
  void* const map = bpf_map_lookup_elem(&pages, &index);
  return map ? bpf_map_lookup_elem(map, &first) : 0;
}

/* Rings for ranks that sleep. Who is about to sleep says so first, and then looks once more. */
static __always_inline void ring(const struct thalweg_nic_page* page, __u32 index) {
  if (!*(const volatile __u32*)&page->sleepers)
    return;
  void* const doorbell = bpf_map_lookup_elem(&doorbells, &index);
  if (doorbell)
    bpf_ringbuf_output(doorbell, &index, sizeof index, BPF_RB_FORCE_WAKEUP);
}

/* Begins a frame from this card to another one, with so many bytes behind it; gives the sum of the IP header
 * so far. The UDP checksum is left out, as IPv4 allows. */
static __always_inline __u32 begin(struct frame* frame, const struct arrival* at, __u32 behind) {
  const __u32 bytes = sizeof frame->udp + sizeof frame->packet + behind;
  const __u16* const words = (const __u16*)(const void*)&frame->ip;
  __u32 sum = 0;
  __builtin_memcpy(frame->ethernet.h_source, at->own_hardware, ETH_ALEN);
  frame->ethernet.h_proto = thalweg_nic_order16(ETH_P_IP);
  frame->ip.version = 4;
  frame->ip.ihl = 5;
  frame->ip.tot_len = thalweg_nic_order16(sizeof frame->ip + bytes);
  frame->ip.ttl = IPDEFTTL;
  frame->ip.protocol = IPPROTO_UDP;
  frame->ip.saddr = at->own;
#pragma unroll
  for (__u32 word = 0; word < sizeof frame->ip / 2; ++word)
    sum += words[word];
  frame->udp.source = frame->udp.dest = thalweg_nic_order16(THALWEG_NIC_PORT);
  frame->udp.len = thalweg_nic_order16(bytes);
  return sum;
}

static __always_inline void address_to(struct frame* frame, __u32 sum, __u32 address) {
  sum += (address & 0xffff) + (address >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  frame->ip.daddr = address;
  frame->ip.check = ~sum;
}

/* The frame, if it is as long as ours and goes to our port. */
static __always_inline const struct frame* frame_of(const struct __sk_buff* skb) {
  const struct frame* const frame = (const void*)(long)skb->data;
  if ((const void*)(frame + 1) > (const void*)(long)skb->data_end)
    return 0;
  if (frame->ethernet.h_proto != thalweg_nic_order16(ETH_P_IP) || frame->ip.ihl != 5 ||
      frame->ip.protocol != IPPROTO_UDP || frame->udp.dest != thalweg_nic_order16(THALWEG_NIC_PORT))
    return 0;
  return thalweg_nic_is_ours(&frame->packet) ? frame : 0;
}

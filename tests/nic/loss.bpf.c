/* SPDX-License-Identifier: BSD-3-Clause */
/* A link that loses a fifth of the cards' packets. */

// The first has what the others need.
// clang-format off
#include <linux/types.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/pkt_cls.h>
#include <linux/udp.h>
// clang-format on

SEC("tc")
int lose(struct __sk_buff* skb) {
  struct {
    struct ethhdr ethernet;
    struct iphdr ip;
    struct udphdr udp;
  } __attribute__((packed)) frame;
  if (bpf_skb_load_bytes(skb, 0, &frame, sizeof frame) || frame.ip.protocol != IPPROTO_UDP ||
      frame.udp.dest != bpf_htons(7747))
    return TC_ACT_UNSPEC;
  return bpf_get_prandom_u32() % 5 == 0 ? TC_ACT_SHOT : TC_ACT_UNSPEC;
}

const char of_license[] SEC("license") = "Dual BSD/GPL";

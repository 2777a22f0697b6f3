/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* What the card's programs share with each other and with the agent. */

#include "nic/agent_messages.h"
#include "thalweg/nic_operator.h"

#include <bpf/bpf_helpers.h>
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/pkt_cls.h>
#include <linux/udp.h>
#include <stddef.h>

/* Other codes than these mean something else to one of the two hooks. */
enum verdict { NOT_OURS = TC_ACT_UNSPEC, SWALLOWED = TC_ACT_SHOT };
enum families { ADDRESS_FAMILY = 2 }; /* IPv4 */
enum limits { GROUPS = 256, OWNERS = 4096, BURST_NS = 100000000 };

struct frame {
  struct ethhdr ethernet;
  struct iphdr ip;
  struct udphdr udp;
  struct thalweg_nic_packet packet;
} __attribute__((packed));

struct envelope_frame {
  struct frame frame;
  struct thalweg_nic_envelope envelope;
} __attribute__((packed));

struct owner {
  __u32 index;
  __u32 contributor;
  __u32 user;
};

/* A user's starts may come this far apart in the long run, and some earlier. */
struct allowance {
  __u64 next_ns;
  __u64 interval_ns; /* 0: as they like */
};

struct guarded_state {
  struct bpf_spin_lock lock;
  __u32 unused;
  union {
    struct thalweg_nic_state state;
    struct thalweg_nic_relay relay; /* of a group for broadcasts */
  };
};

/* Where cards below were heard from last: the link's next hop to them, and the device that they came by, with
 * its own address on the link. */
struct next_hops {
  __u64 hardware[THALWEG_NIC_CONTRIBUTORS];
  __u64 own[THALWEG_NIC_CONTRIBUTORS];
  __u32 device[THALWEG_NIC_CONTRIBUTORS];
};

/* What the agent says of this card. */
struct settings {
  __u32 address; /* in network order; packets for others pass by, as on a switch */
  __u32 device;  /* that has the address: of a switch, its bridge */
  __u32 routes;  /* it is a router: packets leave by the device that the route says */
};

struct counts {
  __u64 starts, ups, downs, refused, held_back;
};

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, GROUPS);
  __type(key, __u32);
  __type(value, __u32);
} index_of_group SEC(".maps");

/* By the cookie of the socket that the agent made for a rank: nobody else can start for it. */
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, OWNERS);
  __type(key, __u64);
  __type(value, struct owner);
} owners SEC(".maps");

/* By user: each has a group at least. */
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 2 * GROUPS);
  __type(key, __u32);
  __type(value, struct allowance);
} allowances SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, GROUPS);
  __type(key, __u32);
  __type(value, struct thalweg_nic_group);
} groups SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, GROUPS);
  __type(key, __u32);
  __type(value, struct guarded_state);
} states SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, GROUPS);
  __type(key, __u32);
  __type(value, struct next_hops);
} hops SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct settings);
} own SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct counts);
} counters SEC(".maps");

/* The packet at hand: the stack has no room for it. */
struct arrival {
  __u32 index; /* of its group */
  __u32 epoch;
  __u32 own; /* the host's address */
  __u32 other;
  __u8 own_hardware[ETH_ALEN];
  __u8 other_hardware[ETH_ALEN];
  __u32 contributor;
  __u64 now_us;
  struct bpf_fib_lookup route;
  struct thalweg_nic_operands operands; /* of an operator of users */
  union {
    struct thalweg_nic_content content;
    struct {
      struct thalweg_nic_part part; /* in the host's order */
      struct thalweg_nic_errand errand;
    };
    struct {
      struct thalweg_nic_envelope envelope; /* in the host's order */
      struct thalweg_nic_match match;
      struct envelope_frame made;
    };
  };
};

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct arrival);
} stage SEC(".maps");

/* What contributors have brought, by place in the window, then contributor. */
struct cell_map {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, THALWEG_NIC_WINDOW);
  __uint(map_flags, BPF_F_INNER_MAP);
  __uint(key_size, sizeof(__u32));
  __uint(value_size, sizeof(struct thalweg_nic_content));
};

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
  __uint(max_entries, GROUPS);
  __type(key, __u32);
  __array(values, struct cell_map);
} cells SEC(".maps");

/* The host's ranks' inboxes, by local number. */
struct inbox_map {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __uint(map_flags, BPF_F_INNER_MAP);
  __uint(key_size, sizeof(__u32));
  __uint(value_size, sizeof(struct thalweg_nic_inbox));
};

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
  __uint(max_entries, GROUPS);
  __type(key, __u32);
  __array(values, struct inbox_map);
} inboxes SEC(".maps");

/* Of a group for broadcasts there are more: its segments; and of one for inboxes: desks and cells. */
struct page_map {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __uint(map_flags, BPF_F_MMAPABLE | BPF_F_INNER_MAP);
  __uint(key_size, sizeof(__u32));
  __uint(value_size, THALWEG_NIC_PAGE_BYTES);
};

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
  __uint(max_entries, GROUPS);
  __type(key, __u32);
  __array(values, struct page_map);
} pages SEC(".maps");

/* What is written there wakes ranks that sleep; it says nothing. */
struct doorbell_map {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, THALWEG_NIC_DOORBELL_BYTES);
};

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
  __uint(max_entries, GROUPS);
  __type(key, __u32);
  __array(values, struct doorbell_map);
} doorbells SEC(".maps");

/*
 * A host's card: two programs in its network device's packet path (nic/protocol.h).
 *
 * `leaving` sees what the host sends, and swallows starts. `arriving` sees what other cards send. A packet
 * that completes something is itself rewritten and sent on. What belongs to no group is left as it is.
 */

#include "nic/agent_messages.h"

#include <bpf/bpf_helpers.h>
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/pkt_cls.h>
#include <linux/udp.h>

/* Other codes than these mean something else to one of the two hooks. */
enum verdict { NOT_OURS = TC_ACT_UNSPEC, SWALLOWED = TC_ACT_SHOT };
enum limits { GROUPS = 256, OWNERS = 4096 };

struct frame {
  struct ethhdr ethernet;
  struct iphdr ip;
  struct udphdr udp;
  struct thalweg_nic_packet packet;
} __attribute__((packed));

struct owner {
  __u32 index;
  __u32 contributor;
};

struct guarded_state {
  struct bpf_spin_lock lock;
  __u32 unused;
  struct thalweg_nic_state state;
};

/* Where cards below were heard from last: the link's next hop to them. */
struct next_hops {
  __u64 hardware[THALWEG_NIC_CONTRIBUTORS];
};

struct counts {
  __u64 starts, ups, downs, refused;
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
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct counts);
} counters SEC(".maps");

struct page_map {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(key_size, sizeof(__u32));
  __uint(value_size, THALWEG_NIC_PAGE_BYTES);
};

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
  __uint(max_entries, GROUPS);
  __type(key, __u32);
  __array(values, struct page_map);
} pages SEC(".maps");

static __always_inline struct counts* own_counts(void) {
  const __u32 zero = 0;
  return bpf_map_lookup_elem(&counters, &zero);
}

static __always_inline void publish(__u32 index, __u32 epoch) {
  const __u32 zero = 0;
  void* const map = bpf_map_lookup_elem(&pages, &index);
  struct thalweg_nic_page* const page = map ? bpf_map_lookup_elem(map, &zero) : 0;
  if (page)
    __sync_lock_test_and_set(&page->ended[epoch % THALWEG_NIC_WINDOW], epoch);
}

/* A whole frame between two cards. The UDP checksum is left out, as IPv4 allows. */
static __always_inline void address_frame(struct frame* frame, __u32 from, __u32 to) {
  __u32 sum = 0;
  const __u16* const words = (const __u16*)(const void*)&frame->ip;
  frame->ethernet.h_proto = thalweg_nic_order16(ETH_P_IP);
  __builtin_memset(&frame->ip, 0, sizeof frame->ip);
  frame->ip.version = 4;
  frame->ip.ihl = 5;
  frame->ip.tot_len = thalweg_nic_order16(sizeof frame->ip + sizeof frame->udp + sizeof frame->packet);
  frame->ip.ttl = IPDEFTTL;
  frame->ip.protocol = IPPROTO_UDP;
  frame->ip.saddr = from;
  frame->ip.daddr = to;
#pragma unroll
  for (__u32 word = 0; word < sizeof frame->ip / 2; ++word)
    sum += words[word];
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  frame->ip.check = ~sum;
  frame->udp.source = frame->udp.dest = thalweg_nic_order16(THALWEG_NIC_PORT);
  frame->udp.len = thalweg_nic_order16(sizeof frame->udp + sizeof frame->packet);
  frame->udp.check = 0;
}

/* Does what the protocol asks for, with the packet at hand. `own`: the host's address; `ethernet`: its own
 * hardware address is the source. */
static __always_inline int act(struct __sk_buff* skb, const struct thalweg_nic_group* group, __u32 index,
                               __u32 actions, __u32 epoch, __u32 own, const __u8 hardware[ETH_ALEN]) {
  struct frame frame;
  if (actions & THALWEG_NIC_PUBLISH)
    publish(index, epoch);
  __builtin_memset(&frame, 0, sizeof frame);
  __builtin_memcpy(frame.ethernet.h_source, hardware, ETH_ALEN);
  if (actions & THALWEG_NIC_NOTIFY_PARENT) {
    address_frame(&frame, own, group->parent.address);
    thalweg_nic_write(&frame.packet, group, THALWEG_NIC_UP, epoch);
    if (bpf_skb_store_bytes(skb, 0, &frame, sizeof frame, 0))
      return SWALLOWED;
    return bpf_redirect_neigh(skb->ifindex, 0, 0, 0);
  }
  if (actions & THALWEG_NIC_NOTIFY_CHILDREN) {
    const struct next_hops* const found = bpf_map_lookup_elem(&hops, &index);
    if (!found)
      return SWALLOWED;
    thalweg_nic_write(&frame.packet, group, THALWEG_NIC_DOWN, epoch);
    for (__u32 child = 0; child < THALWEG_NIC_CONTRIBUTORS; ++child) {
      if (child < group->locals || child >= group->contributors)
        continue;
      __builtin_memcpy(frame.ethernet.h_dest, &found->hardware[child], ETH_ALEN);
      address_frame(&frame, own, group->below[child].address);
      if (bpf_skb_store_bytes(skb, 0, &frame, sizeof frame, 0) == 0)
        bpf_clone_redirect(skb, skb->ifindex, 0);
    }
  }
  return SWALLOWED;
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

SEC("tc")
int leaving(struct __sk_buff* skb) {
  const struct frame* const frame = frame_of(skb);
  struct counts* const counts = own_counts();
  if (!frame || !counts || frame->packet.kind != THALWEG_NIC_START ||
      frame->ip.daddr != thalweg_nic_order32(THALWEG_NIC_START_ADDRESS))
    return NOT_OURS;
  const __u32 epoch = thalweg_nic_order32(frame->packet.epoch);
  const __u32 own = frame->ip.saddr;
  __u8 hardware[ETH_ALEN];
  __builtin_memcpy(hardware, frame->ethernet.h_source, ETH_ALEN);
  const __u64 cookie = bpf_get_socket_cookie(skb);
  const struct owner* const owner = bpf_map_lookup_elem(&owners, &cookie);
  if (!owner)
    return NOT_OURS;
  const __u32 index = owner->index;
  const struct thalweg_nic_group* const group = bpf_map_lookup_elem(&groups, &index);
  struct guarded_state* const guarded = bpf_map_lookup_elem(&states, &index);
  if (!group || !guarded)
    return SWALLOWED;
  ++counts->starts;
  bpf_spin_lock(&guarded->lock);
  const __u32 actions = thalweg_nic_arrive(group, &guarded->state, owner->contributor, epoch);
  bpf_spin_unlock(&guarded->lock);
  return act(skb, group, index, actions, epoch, own, hardware);
}

SEC("tc")
int arriving(struct __sk_buff* skb) {
  const struct frame* const frame = frame_of(skb);
  struct counts* const counts = own_counts();
  if (!frame || !counts)
    return NOT_OURS;
  const __u32 id = thalweg_nic_order32(frame->packet.group);
  const __u32* const found = bpf_map_lookup_elem(&index_of_group, &id);
  if (!found)
    return NOT_OURS;
  const __u32 index = *found;
  const struct thalweg_nic_group* const group = bpf_map_lookup_elem(&groups, &index);
  struct guarded_state* const guarded = bpf_map_lookup_elem(&states, &index);
  struct next_hops* const next = bpf_map_lookup_elem(&hops, &index);
  if (!group || !guarded || !next)
    return NOT_OURS;
  if (!thalweg_nic_admits(group, &frame->packet, frame->ip.saddr, frame->udp.source)) {
    ++counts->refused;
    return SWALLOWED;
  }
  const __u32 epoch = thalweg_nic_order32(frame->packet.epoch);
  const __u32 contributor = thalweg_nic_order16(frame->packet.contributor) & (THALWEG_NIC_CONTRIBUTORS - 1);
  const __u32 own = frame->ip.daddr;
  const __u32 other = frame->ip.saddr;
  const int is_up = frame->packet.kind == THALWEG_NIC_UP;
  __u64 sender = 0;
  __u8 hardware[ETH_ALEN];
  __builtin_memcpy(&sender, frame->ethernet.h_source, ETH_ALEN);
  __builtin_memcpy(hardware, frame->ethernet.h_dest, ETH_ALEN);
  __u32 actions;
  if (is_up) {
    ++counts->ups;
    next->hardware[contributor] = sender;
    bpf_spin_lock(&guarded->lock);
    actions = thalweg_nic_arrive(group, &guarded->state, contributor, epoch);
    bpf_spin_unlock(&guarded->lock);
  } else {
    ++counts->downs;
    bpf_spin_lock(&guarded->lock);
    actions = thalweg_nic_release(group, &guarded->state, epoch);
    bpf_spin_unlock(&guarded->lock);
  }
  if (actions & THALWEG_NIC_ANSWER) {
    struct frame answer;
    __builtin_memset(&answer, 0, sizeof answer);
    __builtin_memcpy(answer.ethernet.h_source, hardware, ETH_ALEN);
    __builtin_memcpy(answer.ethernet.h_dest, &sender, ETH_ALEN);
    address_frame(&answer, own, other);
    thalweg_nic_write(&answer.packet, group, THALWEG_NIC_DOWN, epoch);
    if (bpf_skb_store_bytes(skb, 0, &answer, sizeof answer, 0))
      return SWALLOWED;
    return bpf_redirect(skb->ifindex, 0);
  }
  return act(skb, group, index, actions, epoch, own, hardware);
}

const char of_license[] SEC("license") = "Dual BSD/GPL";

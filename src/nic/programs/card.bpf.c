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
#include <stddef.h>

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

/* The packet at hand: the stack has no room for it. */
struct arrival {
  __u32 index; /* of its group */
  __u32 epoch;
  __u32 own; /* the host's address */
  __u32 other;
  __u8 own_hardware[ETH_ALEN];
  __u8 other_hardware[ETH_ALEN];
  __u32 contributor;
  struct thalweg_nic_content content;
};

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct arrival);
} stage SEC(".maps");

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

static __always_inline void publish(__u32 index, __u32 epoch, const struct thalweg_nic_content* result) {
  const __u32 zero = 0;
  void* const map = bpf_map_lookup_elem(&pages, &index);
  struct thalweg_nic_page* const page = map ? bpf_map_lookup_elem(map, &zero) : 0;
  if (!page)
    return;
  __u64* const words = page->words[epoch % THALWEG_NIC_WINDOW];
  THALWEG_NIC_EACH(result, words[i] = result->words[i]);
  __sync_lock_test_and_set(&page->ended[epoch % THALWEG_NIC_WINDOW], epoch);
}

static __always_inline struct arrival* at_hand(void) {
  const __u32 zero = 0;
  return bpf_map_lookup_elem(&stage, &zero);
}

/* Takes what the packet says, and its words; not 0 where it is shorter than it says. */
static __always_inline int take(struct __sk_buff* skb, const struct frame* frame, struct arrival* at) {
  struct thalweg_nic_content* const content = &at->content;
  at->epoch = thalweg_nic_order32(frame->packet.epoch);
  thalweg_nic_read(&frame->packet, content);
  if (content->count == THALWEG_NIC_FEW &&
      bpf_skb_load_bytes(skb, sizeof(struct frame), content->words, THALWEG_NIC_FEW * sizeof(__u64)))
    return -1;
  if (content->count == THALWEG_NIC_WORDS &&
      bpf_skb_load_bytes(skb, sizeof(struct frame), content->words, THALWEG_NIC_WORDS * sizeof(__u64)))
    return -1;
  thalweg_nic_reorder(content);
  return 0;
}

/* Afterwards the content is spent. */
static __always_inline int store_words(struct __sk_buff* skb, struct thalweg_nic_content* content) {
  thalweg_nic_reorder(content);
  if (content->count == THALWEG_NIC_FEW)
    return bpf_skb_store_bytes(skb, sizeof(struct frame), content->words, THALWEG_NIC_FEW * sizeof(__u64), 0);
  if (content->count == THALWEG_NIC_WORDS)
    return bpf_skb_store_bytes(skb, sizeof(struct frame), content->words, THALWEG_NIC_WORDS * sizeof(__u64),
                               0);
  return 0;
}

/* Begins a frame from this card to another one, but for its words; gives the sum of the IP header so far. The
 * UDP checksum is left out, as IPv4 allows. */
static __always_inline __u32 begin(struct frame* frame, const struct arrival* at) {
  const __u32 bytes = sizeof frame->udp + sizeof frame->packet + frame->packet.words * sizeof(__u64);
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
    publish(at->index, at->epoch, content);
  __builtin_memset(&frame, 0, sizeof frame);
  thalweg_nic_write(&frame.packet, group,
                    actions & THALWEG_NIC_NOTIFY_PARENT ? THALWEG_NIC_UP : THALWEG_NIC_DOWN, at->epoch,
                    content);
  const __u32 sum = begin(&frame, at);
  const __u32 to = actions & THALWEG_NIC_NOTIFY_PARENT ? group->parent.address : at->other;
  address_to(&frame, sum, to);
  __builtin_memcpy(frame.ethernet.h_dest, at->other_hardware, ETH_ALEN);
  if (store_words(skb, content) || bpf_skb_store_bytes(skb, 0, &frame, sizeof frame, 0))
    return SWALLOWED;
  if (actions & THALWEG_NIC_NOTIFY_PARENT)
    return bpf_redirect_neigh(skb->ifindex, 0, 0, 0);
  if (actions & THALWEG_NIC_ANSWER)
    return bpf_redirect(skb->ifindex, 0);
  for (__u32 child = 0; child < THALWEG_NIC_CONTRIBUTORS; ++child) {
    if (child < group->locals || child >= group->contributors)
      continue;
    __builtin_memcpy(frame.ethernet.h_dest, &found->hardware[child], ETH_ALEN);
    address_to(&frame, sum, group->below[child].address);
    bpf_skb_store_bytes(skb, 0, &frame, offsetof(struct frame, udp), 0);
    bpf_clone_redirect(skb, skb->ifindex, 0);
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
  struct arrival* const at = at_hand();
  if (!frame || !counts || !at || frame->packet.kind != THALWEG_NIC_START ||
      frame->ip.daddr != thalweg_nic_order32(THALWEG_NIC_START_ADDRESS))
    return NOT_OURS;
  const __u64 cookie = bpf_get_socket_cookie(skb);
  const struct owner* const owner = bpf_map_lookup_elem(&owners, &cookie);
  if (!owner)
    return NOT_OURS;
  at->index = owner->index;
  at->contributor = owner->contributor;
  at->own = frame->ip.saddr;
  __builtin_memcpy(at->own_hardware, frame->ethernet.h_source, ETH_ALEN);
  const struct thalweg_nic_group* const group = bpf_map_lookup_elem(&groups, &at->index);
  struct guarded_state* const guarded = bpf_map_lookup_elem(&states, &at->index);
  if (!group || !guarded || take(skb, frame, at))
    return SWALLOWED;
  ++counts->starts;
  bpf_spin_lock(&guarded->lock);
  const __u32 actions = thalweg_nic_arrive(group, &guarded->state, at->contributor, at->epoch, &at->content);
  bpf_spin_unlock(&guarded->lock);
  return act(skb, actions);
}

SEC("tc")
int arriving(struct __sk_buff* skb) {
  const struct frame* const frame = frame_of(skb);
  struct counts* const counts = own_counts();
  struct arrival* const at = at_hand();
  if (!frame || !counts || !at)
    return NOT_OURS;
  const __u32 id = thalweg_nic_order32(frame->packet.group);
  const __u32* const found = bpf_map_lookup_elem(&index_of_group, &id);
  if (!found)
    return NOT_OURS;
  at->index = *found;
  const struct thalweg_nic_group* const group = bpf_map_lookup_elem(&groups, &at->index);
  struct guarded_state* const guarded = bpf_map_lookup_elem(&states, &at->index);
  struct next_hops* const next = bpf_map_lookup_elem(&hops, &at->index);
  if (!group || !guarded || !next)
    return NOT_OURS;
  if (!thalweg_nic_admits(group, &frame->packet, frame->ip.saddr, frame->udp.source)) {
    ++counts->refused;
    return SWALLOWED;
  }
  at->own = frame->ip.daddr;
  at->other = frame->ip.saddr;
  at->contributor = thalweg_nic_order16(frame->packet.contributor) & (THALWEG_NIC_CONTRIBUTORS - 1);
  __builtin_memcpy(at->own_hardware, frame->ethernet.h_dest, ETH_ALEN);
  __builtin_memcpy(at->other_hardware, frame->ethernet.h_source, ETH_ALEN);
  const int is_up = frame->packet.kind == THALWEG_NIC_UP;
  if (take(skb, frame, at))
    return SWALLOWED;
  __u32 actions;
  if (is_up) {
    __u64 sender = 0;
    __builtin_memcpy(&sender, at->other_hardware, ETH_ALEN);
    next->hardware[at->contributor & (THALWEG_NIC_CONTRIBUTORS - 1)] = sender;
    ++counts->ups;
    bpf_spin_lock(&guarded->lock);
    actions = thalweg_nic_arrive(group, &guarded->state, at->contributor, at->epoch, &at->content);
    bpf_spin_unlock(&guarded->lock);
  } else {
    ++counts->downs;
    bpf_spin_lock(&guarded->lock);
    actions = thalweg_nic_release(group, &guarded->state, at->epoch, &at->content);
    bpf_spin_unlock(&guarded->lock);
  }
  return act(skb, actions);
}

const char of_license[] SEC("license") = "Dual BSD/GPL";

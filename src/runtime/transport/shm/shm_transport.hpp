// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Messages between the processes of a node through memory that they share.

#include "transport/shm/core_balancer.hpp"
#include "transport/shm/line_ping.hpp"
#include "transport/shm/port.hpp"
#include "wait/policy.hpp"

namespace thalweg::transport {

/// How the channels and broadcast buffers of a group lie in its segment. The first slots of all channels lie
/// side by side, then all second ones: ranks that make the same calls are about equally far, so that each has
/// what it looks at and writes to in few pages.
class GroupMemory {
public:
  explicit GroupMemory(std::int32_t ranks);
  std::size_t bytes() const;
  /// Of those, the first ones that all ranks use, call after call; none where these are many.
  std::size_t bytes_to_prepare() const;
  static Doorbell* doorbell(std::byte* memory, Rank rank);
  CoreSlot* core_slots(std::byte* memory) const; ///< all ranks'
  /// Of two ranks that look at their distance, one after the other; null for one that is left over.
  PingLines* ping_lines(std::byte* memory, Rank rank) const;
  ChannelMemory channel(std::byte* memory, Rank from, Rank to) const;
  BroadcastBuffer broadcast_buffer(std::byte* memory, Rank rank) const;

private:
  std::size_t channels() const { return ranks_ * ranks_; }
  std::size_t credits_begin() const;
  std::size_t rings_begin() const;
  std::size_t broadcast_begin() const;
  std::byte* broadcast_memory(std::byte* memory, Rank rank) const;

  std::size_t ranks_;
  ChannelShape shape_;
  std::size_t broadcast_bytes_;
};

/// How a process uses a group's memory.
struct NodeUse {
  wait::Policy waiting;
  bool sleeps = false;         ///< ranks sleep until they are woken; the same on all of them
  bool threaded = false;       ///< several threads of this process use the transport
  bool balances_cores = false; ///< the group is all that uses the cores: its ranks may move to even cores out
};

/// The end of `rank` in a group of `ranks` whose memory is `memory`: GroupMemory(ranks).bytes() zeros,
/// aligned to cache lines. It is kept as long as the transport or a batch of it lives.
std::unique_ptr<Transport> make_shm_transport(const std::shared_ptr<std::byte>& memory, Rank rank,
                                              std::int32_t ranks, const NodeUse& use);

} // namespace thalweg::transport

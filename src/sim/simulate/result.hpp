// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a simulation says, whatever its level.

#include "model/flow_network.hpp"
#include "simulate/message_costs.hpp"

#include <string_view>
#include <vector>

namespace thalweg::simulate {

/// What time goes into.
enum class CostKind : std::uint8_t {
  overhead, ///< of the processor for one end of a message
  latency,  ///< a message is on its way
  bytes,    ///< the message's length: on its way, or for the processor or the interface that deals with it
  gap,      ///< an interface that may not begin the next message yet
  compute,
  sharing, ///< the message is on its way, and a link has something else to carry too
  noise,   ///< the processor is away in the middle of something
  core,    ///< the processor waits for a core, which another one has, or is given it
};
inline constexpr std::size_t cost_kinds = 8;
std::string_view name(CostKind kind);

/// A part of the critical path.
struct Segment {
  std::uint32_t rank = 0; ///< whose processor or interface; of a message on its way, the sender
  CostKind kind = CostKind::compute;
  Ticks begin = 0;
  Ticks end = 0;
  /// Of a message on its way: the link that it waited for, or that said how fast it was; -1: none did.
  topology::Link link = -1;
};

struct Result {
  Ticks finish = 0;             ///< when the last rank has finished, all having begun at 0
  std::uint32_t last_rank = 0;  ///< the first of those that finish last
  std::vector<Ticks> ends = {}; ///< of each rank
  std::vector<Ticks> busy = {}; ///< how long each rank's processors were; the rest it waited
  std::uint64_t operations = 0; ///< that were simulated
  std::uint64_t messages = 0;
  std::uint64_t events = 0;  ///< operations, and messages that come
  std::uint64_t packets = 0; ///< on level `packet`, that came; and how often one passed a switch
  std::uint64_t packet_hops = 0;
  /// From the start to the finish without a pause: what takes less time here makes the whole shorter. Empty
  /// where it was not asked for.
  std::vector<Segment> path = {};
  /// What links carried, on levels `flow` and `packet`: those that carried anything, in the order in which
  /// they first did.
  std::vector<model::LinkLoad> links = {};
};

} // namespace thalweg::simulate

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Levels `loggp`, `flow` and `packet`: events are beginnings and ends of operations on the processors and
// network interfaces of ranks. On level `loggp` the network between them only delays; on level `flow`
// messages are flows that share its links; on level `packet` they are packets that its routers pass on.
//
// The rules are LogGOPSim's (message_costs.hpp names the paper):
// - A send begins when its processor and its interface are free; a computation, when its processor is.
// - A receive is posted as soon as its processor has done what was begun, and takes no time by itself.
// - A message that has come is taken in when the receiver's processor and interface are free, whether a
//   receive is posted or not. The receive is over then, or when it is posted.
// - A message of over S bytes keeps its send from being over until then.
// - What could begin at the same time on a processor begins in the order in which it became known: operations
//   that become free together sends first, then receives, then computations, each in their order.
//
// LogGOPSim brings operations that become free together into this order by a method that mixes up those of
// one kind, from seventeen on. Receives that change places so let some of its generator's programs stall.
// Here they keep their order, unless Ties says otherwise. And where a rank has several processors, nothing
// begins before what it requires has ended.

#include "model/flow_network.hpp"
#include "simulate/cores.hpp"
#include "simulate/message_costs.hpp"
#include "simulate/noise.hpp"
#include "simulate/rank_network.hpp"
#include "simulate/trace.hpp"

#include <functional>
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

/// What a simulation says, whatever its level.
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

/// In which order operations of one kind begin that become free together.
enum class Ties : std::uint8_t {
  in_order,     ///< as the program has them
  as_loggopsim, ///< mixed up as LogGOPSim does where it is built with GCC's library, as is this
};

struct LoggpOptions {
  Ties ties = Ties::in_order;
  /// Where to write what the critical path follows from (critical_path.hpp), if anywhere.
  Trace* trace = nullptr;
  /// What lies between the ranks, if that is known. Where its links are shared, a message between nodes is a
  /// flow over its route's links from the moment at which its rank's processor has begun it (level `flow`).
  /// It comes when its last byte has, and the latency has passed. Where it has packets, that way is theirs
  /// (level `packet`).
  const RankNetwork* network = nullptr;
  /// Takes processors away now and then.
  Noise noise = {};
  /// Which cores are shared by whom.
  SharedCores cores = {};
  /// Called now and then with the events so far; an exception of it ends the simulation.
  std::function<void(std::uint64_t events)> progress = nullptr;
};

/// Simulates a program to its end. Throws Error with a list of (rank, operation, what it waits for) if it
/// cannot go on.
Result simulate_loggp(const Program& program, const LoggpOptions& options = {});

} // namespace thalweg::simulate

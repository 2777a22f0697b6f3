// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A network of routers, packet by packet (virtual cut-through: Kermani and Kleinrock 1979). Events are a
// packet's head at a crosspoint, its last byte at a node, and a channel that may send again; neither flits
// nor cycles.
//
// - A head that comes to a switch is at its crosspoint (of all its outputs, if it is multicast) after the
//   switch delay, and goes on if the output is free and there is room for all of it behind.
// - Each output chooses by itself among its crosspoints.
// - There is room if the counter of the channel's CreditRule says so. A counter hears of a packet that has
//   left when its last byte has, and a channel delay later; of a multicast when the last copy has left.
// - Nodes take whatever comes.
// - What goes on by a faster channel than it came by has to be whole before.
//
// Each part of it has its own state: what happens next (Agenda), what nodes send (Injection), where packets
// wait and which goes next (Outputs, of Crosspoints and Credits), when channels are free (Channels), copies
// and sums in switches (Multicasts, CombineUnits). The network leads packets from one to the other.

#include "base/assertion.hpp"
#include "simulate/packet/agenda.hpp"
#include "simulate/packet/collectives.hpp"
#include "simulate/packet/outputs.hpp"
#include "simulate/packet/packet.hpp"
#include "simulate/packet/queues.hpp"
#include "simulate/packet/routing.hpp"

#include <functional>
#include <utility>
#include <vector>

namespace thalweg::simulate::packet {

/// What nodes have to send: a source is asked for a node's next packet when the one before has left, and a
/// packet that came too early is held until its time.
class Injection {
public:
  /// Keeps references to the source, packets and events.
  Injection(std::uint32_t nodes, const RouterOptions& options, Source& source, Pool<Packet>& packets,
            Agenda& agenda)
      : options_(options), full_time_(transfer_ticks(options, options.packet_bytes)), source_(source),
        packets_(packets), agenda_(agenda), held_(nodes, none) {}
  Injection(const Injection&) = delete;
  Injection& operator=(const Injection&) = delete;

  /// Asks for a node's next packet; false if it has none. `came` is when it may be sent.
  bool ask(std::uint32_t node, Packet& packet) {
    Ticks ready = agenda_.now();
    if (!source_.next(node, agenda_.now(), packet, ready))
      return false;
    THALWEG_ASSERT(normal, packet.bytes > 0 && packet.from == node);
    packet.came = ready;
    if (packet.time == 0)
      packet.time = static_cast<std::uint32_t>(
          packet.bytes == options_.packet_bytes ? full_time_ : transfer_ticks(options_, packet.bytes));
    return true;
  }

  /// The packet that a node sends now. None: it has none, or one for which the node will be looked at.
  std::uint32_t next(std::uint32_t node) {
    if (held_[node] == none) {
      Packet packet;
      if (!ask(node, packet))
        return none;
      if (packet.came > agenda_.now())
        agenda_.add(packet.came, What::inject, node);
      held_[node] = packets_.take(packet);
    }
    if (packets_[held_[node]].came > agenda_.now())
      return none;
    return std::exchange(held_[node], none);
  }

private:
  const RouterOptions options_;
  Ticks full_time_; ///< of a packet of the usual size, on a channel of capacity 1
  Source& source_;
  Pool<Packet>& packets_;
  Agenda& agenda_;
  std::vector<std::uint32_t> held_; ///< of each node, the packet whose time has not come
};

class Network {
public:
  /// All of these have to outlive it; `groups` may be null where there are none. Throws Error as
  /// check(options) does, and for combine units elsewhere than on trees.
  Network(const Fabric& fabric, const Routing& routing, const RouterOptions& options,
          const GroupTables* groups, Source& source);

  /// Asks a node's source for a packet, at the present time or later.
  void offer(std::uint32_t node, Ticks time) { agenda_.add(time, What::inject, node); }
  /// Is called now and then; an exception of it ends what goes on.
  std::function<void()> progress = nullptr;
  /// Goes on until that time, at the earliest now, or until nothing happens any more; false then.
  bool run_until(Ticks time);
  /// Goes on until nothing happens any more.
  void run();
  /// When something happens next, or never; and lets that happen.
  Ticks next_time() { return agenda_.next_time(); }
  void step() { handle(agenda_.take()); }
  Ticks now() const { return agenda_.now(); }

  /// Packets that wait or are on their way; copies count.
  std::uint64_t inside() const { return packets_.used(); }
  std::uint64_t events() const { return agenda_.taken(); }
  /// How often a packet has passed a switch.
  std::uint64_t hops() const { return hops_; }
  /// What its channels have carried. The fabric's come first, with the fabric's numbers.
  const Channels& channels() const { return channels_; }
  /// Throws Error with a list of what waits for what, if anything is still inside.
  void require_empty() const;
  /// Has every credit come back? Once nothing is inside.
  bool credits_are_whole() { return outputs_.credits_are_whole(); }

private:
  void handle(const Event& event);
  /// At a switch.
  void arrive(std::uint32_t index);
  void route(std::uint32_t index);
  void multicast(std::uint32_t index, const Channel& feeder);
  void place(std::uint32_t index, std::uint32_t channel, bool is_first);
  void enqueue(std::uint32_t index, std::uint32_t channel);
  /// Out of it, or of a node.
  void try_send(std::uint32_t channel);
  void send(std::uint32_t index, std::uint32_t channel);
  void combine(std::uint32_t index, std::uint32_t channel);
  void put_out(std::uint32_t index, std::uint32_t channel);
  void release(Packet& packet, const Channel& output, Ticks time);
  void inject(std::uint32_t node);

  const Routing& routing_;
  const RouterOptions options_;
  const GroupTables* groups_;
  Source& source_;
  Random random_;
  Agenda agenda_;
  Pool<Packet> packets_;
  Channels channels_;
  Outputs outputs_;
  InputQueues input_queues_;
  Multicasts multicasts_;
  CombineUnits units_;
  Injection injection_;
  std::uint64_t hops_ = 0;
};

} // namespace thalweg::simulate::packet

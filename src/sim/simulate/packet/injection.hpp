// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What nodes have to send: a source is asked for a node's next packet when the one before has left, and a
// packet that came too early is held until its time.

#include "simulate/packet/agenda.hpp"
#include "simulate/packet/packet.hpp"
#include "simulate/packet/queues.hpp"

#include <utility>
#include <vector>

namespace thalweg::simulate::packet {

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
  Ticks full_time_; // of a packet of the usual size, on a channel of capacity 1
  Source& source_;
  Pool<Packet>& packets_;
  Agenda& agenda_;
  std::vector<std::uint32_t> held_; // of each node, the packet whose time has not come
};

} // namespace thalweg::simulate::packet

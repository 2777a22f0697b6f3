// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Level `packet`: the messages of a program as packets in a network of routers (packet/network.hpp). The
// program's events are whole nanoseconds, the network's whole picoseconds: a message is there at the
// nanosecond that begins when its last byte has come, or later.

#include "simulate/carrier.hpp"
#include "simulate/packet/live_messages.hpp"

#include <memory>
#include <optional>

namespace thalweg::simulate {

class PacketCarrier {
public:
  struct Arrival {
    Carrier::Message message;
    Ticks time = 0; ///< when its last byte is at its node
    // Where there is a history:
    Ticks latency = 0; ///< of that time, what delays a message that never waits
    std::uint32_t span = model::FlowNetwork::none;
  };

  /// Keeps a reference to the network, which has packets. `progress` is called now and then; an exception of
  /// it ends advance(). Throws Error for routers or a routing that the network cannot have.
  PacketCarrier(const RankNetwork& network, bool has_history, std::function<void()> progress);

  /// A message's first byte leaves its rank.
  void start(Ticks now, const Carrier::Message& message, std::uint32_t target, const MessageCost& cost);
  /// Goes on up to a time, or until the next message has come; nothing if none does.
  std::optional<Arrival> advance(std::optional<Ticks> until);
  /// Throws Error with a list of what waits if a packet is left.
  void require_empty() const { messages_.network().require_empty(); }
  /// What links add to a message's latency between two nodes.
  Ticks latency(topology::Place from, topology::Place to) const;
  /// What links carried.
  std::vector<model::LinkLoad> loads() const;
  const std::vector<model::FlowSpan>& spans() const { return spans_; }
  std::uint64_t packets() const { return messages_.packets(); }
  std::uint64_t hops() const { return messages_.network().hops(); }

private:
  std::uint32_t note(const packet::LiveMessages::Arrival& found, Ticks begin, Ticks end);

  const RankNetwork& network_;
  bool has_history_;
  packet::Fabric fabric_;
  std::unique_ptr<packet::Routing> routing_;
  packet::LiveMessages messages_;
  std::vector<model::FlowSpan> spans_;
};

} // namespace thalweg::simulate

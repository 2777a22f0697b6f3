// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How messages get from rank to rank: at once but for their costs, as flows that share links, or as packets.

#include "simulate/loggp_events.hpp"
#include "simulate/packet_carrier.hpp"
#include "simulate/recorder.hpp"
#include "simulate/result.hpp"

#include <span>

namespace thalweg::simulate {

class Transfers {
public:
  /// Keeps references to all; the network may be null. `states` has the order of each send, `progress` is
  /// called now and then while packets go on.
  Transfers(const Program& program, const RankNetwork* network, const CostTable& costs,
            std::span<const OperationState> states, LoggpEvents& events, Recorder& recorder,
            std::function<void()> progress);

  /// Adds the event that a message arrives or leaves, which its processor would have begun at that time if it
  /// had not been away in between.
  void send(std::uint32_t rank, std::uint32_t number, const Operation& one, Ticks begun);
  /// A message's first byte goes onto the network.
  void leave(const LoggpEvent& event);
  /// A flow may be over: its message arrives then.
  void look_at_flow(const LoggpEvent& event);
  /// All flows of this moment have begun and ended.
  void share_links(Ticks now);
  /// Lets packets go on up to the next event, or until a message has come before it.
  void carry_packets() {
    if (packets_)
      advance_packets();
  }

  /// Throws Error with a list of what waits if a packet stands still, once there are no events any more.
  void require_empty() const {
    if (packets_)
      packets_->require_empty();
  }
  /// Nothing is under way any more: fills in what the network carried.
  void fill(Result& result) const;

private:
  void advance_packets();
  void arrive(std::uint32_t rank, std::uint32_t number, Ticks time) {
    events_.add({time, states_[number].order, number, rank, EventKind::arrival});
  }
  void share_links_later(Ticks now);

  const Program& program_;
  const RankNetwork* network_;
  const CostTable& costs_;
  std::span<const OperationState> states_;
  LoggpEvents& events_;
  Recorder& recorder_;
  std::optional<Carrier> flows_;         // on level flow
  std::optional<PacketCarrier> packets_; // on level packet
  bool shares_later_ = false;            // is there an event for it?
};

} // namespace thalweg::simulate

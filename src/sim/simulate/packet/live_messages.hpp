// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Messages that become known as time goes on: each is cut into packets, and those of a node take turns,
// packet by packet. Those of one queue go one after the other.

#include "simulate/packet/network.hpp"
#include "simulate/packet/queues.hpp"

#include <deque>
#include <functional>
#include <optional>
#include <vector>

namespace thalweg::simulate::packet {

struct LiveOptions {
  RouterOptions routers;
  /// Packets of a node that may be on their way before the first of them is acknowledged; 0: all. A packet is
  /// when its head has come, and `turnaround` and the way back, without any waiting, have passed.
  std::uint32_t window = 0;
  Ticks turnaround = 0;
};

class LiveMessages final : public Source {
public:
  struct Message {
    std::uint64_t number = 0; ///< whatever the caller knows it by
    std::uint32_t from = 0;
    std::uint32_t to = 0;    ///< another node
    std::uint64_t queue = 0; ///< of messages between the same two nodes
    std::uint64_t bytes = 0; ///< 1 or more
    Ticks alone = 0;         ///< that its bytes take on a channel of capacity 1
  };
  struct Arrival {
    std::uint64_t number = 0;
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    Ticks alone = 0;
    Ticks began = 0;
    Ticks time = 0; ///< of its last byte
    /// Where one of its packets waited longest; none: nowhere.
    std::uint32_t channel = none;
  };

  /// The fabric and the routing have to outlive it. Throws Error as check(options) does.
  LiveMessages(const Fabric& fabric, const Routing& routing, const LiveOptions& options);

  /// Its first packet wants to leave now: at the earliest at the time of what has happened last. Throws Error
  /// where a packet would take longer than max_packet_ticks.
  void start(Ticks now, const Message& message);
  /// `progress` is called now and then; an exception of it ends advance().
  void on_progress(std::function<void()> progress) { network_.progress = std::move(progress); }
  /// Goes on to that time at the latest, or until a message has come.
  std::optional<Arrival> advance(Ticks until);
  /// What delays a message that never waits, apart from its own bytes.
  Ticks latency(std::uint32_t from, std::uint32_t to) const;
  const Network& network() const { return network_; }
  std::uint64_t packets() const { return packets_; } ///< that have come
  bool credits_are_whole() { return network_.credits_are_whole(); }

  bool next(std::uint32_t node, Ticks now, Packet& packet, Ticks& ready) override;
  void deliver(const Packet& packet, std::uint32_t node, Ticks now) override;
  void left(const Packet& packet) override;
  void will_come(const Packet& packet, Ticks head) override;
  void waited(const Packet& packet, std::uint32_t channel, Ticks time) override;

private:
  struct State {
    Message message;
    Ticks began = 0;
    Ticks longest_wait = 0;
    std::uint32_t longest_at = none;
    std::uint64_t bytes_left = 0; ///< to send
    Ticks alone_left = 0;
    std::uint64_t bytes_missing = 0; ///< at the receiver
    std::uint32_t at_first = 0;      ///< packets in a first switch without a cable
    bool is_waiting = false;         ///< for its turn
  };
  struct Node {
    std::deque<std::uint32_t> turns; ///< slots of messages that may send
    std::uint32_t unacknowledged = 0;
    std::deque<Ticks> acknowledged; ///< when, in order
  };

  bool may_send(const State& state) const;
  void wait_for_turn(std::uint32_t slot);

  const Fabric& fabric_;
  LiveOptions options_;
  std::vector<Node> nodes_;
  Pool<State> states_;           ///< by slot
  Queues<std::uint32_t> queues_; ///< of slots
  std::optional<Arrival> arrival_;
  std::uint64_t packets_ = 0;
  Network network_;
};

} // namespace thalweg::simulate::packet

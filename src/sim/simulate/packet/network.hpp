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

#include "model/event_queue.hpp"
#include "simulate/packet/credits.hpp"
#include "simulate/packet/fair_turns.hpp"
#include "simulate/packet/groups.hpp"
#include "simulate/packet/packet.hpp"
#include "simulate/packet/routing.hpp"

#include <cmath>
#include <functional>
#include <unordered_map>

namespace thalweg::simulate::packet {

class Network {
public:
  /// All of these have to outlive it; `groups` may be null where there are none. Throws Error as
  /// check(options) does, and for combine units elsewhere than on trees.
  Network(const Fabric& fabric, const Routing& routing, const RouterOptions& options,
          const GroupTables* groups, Source& source);

  /// Asks a node's source for a packet, at the present time or later.
  void offer(std::uint32_t node, Ticks time) { push(time, What::inject, node); }
  /// Goes on until that time, at the earliest now, or until nothing happens any more; false then.
  bool run_until(Ticks time);
  /// Goes on until nothing happens any more.
  void run();
  /// When something happens next, or never; and lets that happen.
  Ticks next_time() { return queue_.empty() ? never : queue_.next_time(); }
  void step();
  Ticks now() const { return now_; }

  /// Packets that wait or are on their way; copies count.
  std::uint64_t inside() const { return packets_.size() - free_packets_.size(); }
  std::uint64_t events() const { return events_; }
  /// How often a packet has passed a switch.
  std::uint64_t hops() const { return hops_; }
  /// How long a channel was busy.
  Ticks busy(std::uint32_t channel) const { return channels_[channel].busy; }
  /// What it carried.
  std::uint64_t bytes(std::uint32_t channel) const { return channels_[channel].bytes; }
  /// Throws Error with a list of what waits for what, if anything is still inside.
  void require_empty() const;
  /// Has every credit come back? Once nothing is inside.
  bool credits_are_whole() { return credits_.are_whole(); }

private:
  enum class What : std::uint32_t {
    arrive,  ///< a packet is at its crosspoint
    deliver, ///< a packet's last byte is at its node
    wake,    ///< a channel may send again
    inject,  ///< a node may have a packet
    whole,   ///< a packet is whole at the crosspoint of a combine unit or of a faster channel
    promote, ///< the next packet of an input's queue may go
    stop,    ///< the caller wants to look
  };
  struct Event {
    Ticks time = 0;
    What what = What::wake;
    std::uint32_t index = 0;
  };
  struct Queue {
    std::uint32_t first = none;
    std::uint32_t last = none;
  };
  static constexpr std::uint16_t no_unit = UINT16_MAX;
  /// It fills a line of a processor's cache.
  struct alignas(64) Channel {
    Ticks wake_at = never;
    Ticks busy = 0;
    std::uint64_t bytes = 0;
    double capacity = 1; ///< infinite between a node and its free port
    std::uint32_t from = none;
    std::uint32_t to = none;
    std::uint32_t first_queue = 0; ///< of `from`'s inputs
    std::uint32_t first_word = 0;  ///< of the bits that say which of these have something
    std::uint32_t queues = 0;
    std::uint32_t served = 0; ///< the queue after which the next turn begins
    std::uint16_t input = 0;
    std::uint16_t unit = no_unit; ///< number of the combine unit that it is, of its switch
    std::uint16_t output = 0;     ///< its number among its vertex's crosspoints
    bool is_blocked = false;      ///< waits for credits
    bool is_free = false;         ///< it takes no time, and has no credits
  };
  static_assert(sizeof(Channel) == 64);
  /// What the copies of a multicast share in a switch: their credit goes back after the last has left.
  struct Copies {
    std::uint32_t left = 0;
    std::uint64_t outputs = 0;
  };
  static constexpr std::uint32_t word_bits = 64;

  void push(Ticks time, What what, std::uint32_t index) { queue_.push({time, what, index}); }
  void handle(const Event& event);
  std::string waiting() const;
  void add_channels();
  void add_units();
  void add_queues();
  std::uint32_t crosspoints(std::uint32_t vertex) const { return fabric_.outputs(vertex) + units_at(vertex); }
  std::uint32_t units_at(std::uint32_t vertex) const {
    return fabric_.is_node(vertex) ? 0 : options_.combine_units;
  }
  Ticks delay(const Channel& channel) const { return channel.unit == no_unit ? options_.channel_delay : 0; }

  // At a switch.
  void arrive(std::uint32_t index);
  void route(std::uint32_t index);
  void multicast(std::uint32_t index, std::uint32_t vertex);
  void place(std::uint32_t index, std::uint32_t channel, bool is_first);
  void put_out(std::uint32_t index, std::uint32_t channel);
  void enqueue(std::uint32_t index, std::uint32_t channel);
  void append(const Channel& output, std::uint32_t number, std::uint32_t index);
  bool passes(std::uint32_t channel, std::uint32_t virtual_channel);
  void promote(std::uint32_t input);
  std::uint32_t input_at(std::uint32_t vertex, std::uint32_t input) const {
    return first_input_[vertex] + input;
  }

  // Of a channel.
  void wake(std::uint32_t channel, Ticks time);
  void try_send(std::uint32_t channel);
  std::uint32_t open_virtual_channels(std::uint32_t channel);
  void wait_for_credits(std::uint32_t channel);
  std::uint32_t select(std::uint32_t channel, std::uint32_t open) const;
  std::uint32_t select_oldest(const Channel& channel, std::uint32_t open) const;
  std::uint32_t next_queue(const Channel& channel, std::uint32_t from) const;
  bool may_go(const Channel& channel, std::uint32_t queue, std::uint32_t open) const;
  std::uint32_t pop(std::uint32_t channel, std::uint32_t queue);
  void send(std::uint32_t channel, std::uint32_t index);
  void release(std::uint32_t vertex, std::uint32_t output, Packet& packet, Ticks time);
  void note(std::uint32_t feeder, std::uint32_t virtual_channel, const CreditNote& note);
  std::uint32_t credit_of(std::uint32_t channel, std::uint32_t virtual_channel) const {
    return channel * virtual_channels_ + virtual_channel;
  }
  /// How long a packet takes on a channel.
  static Ticks duration(const Packet& packet, const Channel& channel) {
    return channel.capacity == 1 ? packet.time
                                 : static_cast<Ticks>(std::llround(packet.time / channel.capacity));
  }

  // Of a node.
  void inject(std::uint32_t node);
  void inject_freely(std::uint32_t node);
  bool ask(std::uint32_t node, Packet& packet, Ticks& ready);

  // Of combine units (combining.cpp).
  std::uint32_t unit_channel(std::uint32_t vertex, std::uint32_t unit) const {
    return first_unit_[vertex] + unit;
  }
  std::uint32_t leaf_units() const { return options_.combine_units == 1 ? 1 : options_.combine_units - 1; }
  std::uint32_t leaf_of(std::uint32_t vertex, std::uint32_t input) const;
  std::uint64_t contributors(const Packet& packet, std::uint32_t vertex, std::uint32_t& out) const;
  std::uint32_t reduction_output(const Packet& packet, std::uint32_t vertex) const;
  std::uint32_t expected(const Packet& packet, std::uint32_t vertex, std::uint32_t unit) const;
  void combine(std::uint32_t channel, std::uint32_t index);

  std::uint32_t take(const Packet& packet);
  void free(std::uint32_t index) { free_packets_.push_back(index); }

  const Fabric& fabric_;
  const Routing& routing_;
  RouterOptions options_;
  const GroupTables* groups_;
  Source& source_;
  Random random_;
  std::uint32_t virtual_channels_;
  Ticks full_packet_ = 0; // how long it takes on a channel

  Ticks now_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t hops_ = 0;
  model::EventQueue<Event> queue_;
  std::vector<Channel> channels_; // of the fabric, then of combine units
  std::vector<Ticks> free_at_;
  std::vector<std::uint32_t> queued_;
  std::vector<Queue> queues_;
  std::vector<std::uint64_t> words_;
  FairTurns fair_turns_;                   // off for other arbitrations
  Credits credits_;                        // by channel and virtual channel
  std::vector<std::uint32_t> first_input_; // of each vertex, in inputs of all
  std::vector<std::uint32_t> feeders_;     // the channel that each input hangs on
  std::vector<std::uint32_t> first_unit_;  // the first combine unit's channel of each vertex
  std::vector<Queue> input_queues_;        // where inputs have queues; times virtual channels
  std::vector<char> input_is_taken_;       // its first packet is at a crosspoint
  std::vector<Packet> packets_;
  std::vector<std::uint32_t> free_packets_;
  std::vector<Copies> copies_;
  std::vector<std::uint32_t> free_copies_;
  std::vector<std::uint32_t> held_; // of each node, the packet whose time has not come
  std::unordered_map<std::uint64_t, std::uint32_t> combined_; // contributions by unit and message
};

} // namespace thalweg::simulate::packet

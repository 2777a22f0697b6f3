// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Where packets wait. In a switch that is at the crosspoints of inputs and outputs, by virtual channel: each
// output chooses by itself among its crosspoints. For comparison there are queues of inputs before that,
// whose first packet alone is at a crosspoint.

#include "simulate/packet/channels.hpp"
#include "simulate/packet/packet.hpp"
#include "simulate/packet/queues.hpp"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace thalweg::simulate::packet {

/// Fair turns of conversations: of those between two nodes that have packets for a channel, each has as much
/// of it as any other (A. Demers, S. Keshav, S. Shenker, "Analysis and simulation of a fair queueing
/// algorithm", 1989), by tags that follow from the packet that was sent last (S. Golestani, "A self-clocked
/// fair queueing scheme for broadband applications", 1994).
class FairTurns {
public:
  FairTurns() = default;
  FairTurns(std::size_t channels, std::uint32_t virtual_channels)
      : virtual_channels_(virtual_channels), waiting_(channels * virtual_channels), tags_(channels),
        last_(channels) {}

  bool are_off() const { return waiting_.empty(); }

  /// A packet has to wait for a channel.
  void add(std::uint32_t channel, std::uint32_t index, const Packet& packet) {
    Ticks& last = last_[channel][conversation(packet)];
    last = std::max(last, tags_[channel]) + packet.time;
    auto& heap = waiting_[channel * virtual_channels_ + packet.next_channel];
    heap.push_back({last, ++added_, index});
    std::ranges::push_heap(heap, is_later);
  }

  /// The virtual channel of the packet whose turn it is, of those of which bits are set; none: nothing there.
  std::uint32_t select(std::uint32_t channel, std::uint32_t open) const {
    std::uint32_t found = none;
    for (std::uint32_t each = 0; each < virtual_channels_; ++each)
      if ((open >> each & 1) != 0 && !heap_of(channel, each).empty() &&
          (found == none || is_later(heap_of(channel, found).front(), heap_of(channel, each).front())))
        found = each;
    return found;
  }

  /// Takes that virtual channel's first packet out.
  std::uint32_t pop(std::uint32_t channel, std::uint32_t virtual_channel, const Pool<Packet>& packets) {
    auto& heap = waiting_[channel * virtual_channels_ + virtual_channel];
    THALWEG_ASSERT(normal, !heap.empty());
    std::ranges::pop_heap(heap, is_later);
    const Turn turn = heap.back();
    heap.pop_back();
    tags_[channel] = turn.tag;
    const auto last = last_[channel].find(conversation(packets[turn.packet]));
    if (last != last_[channel].end() && last->second <= turn.tag)
      last_[channel].erase(last);
    return turn.packet;
  }

private:
  struct Turn {
    Ticks tag = 0;
    std::uint64_t number = 0; ///< in the order in which they came
    std::uint32_t packet = 0;
  };
  static bool is_later(const Turn& one, const Turn& other) {
    return one.tag > other.tag || (one.tag == other.tag && one.number > other.number);
  }
  static std::uint64_t conversation(const Packet& packet) {
    return std::uint64_t{packet.from} << 32 | packet.to;
  }
  const std::vector<Turn>& heap_of(std::uint32_t channel, std::uint32_t virtual_channel) const {
    return waiting_[channel * virtual_channels_ + virtual_channel];
  }

  std::uint32_t virtual_channels_ = 1;
  std::uint64_t added_ = 0;
  std::vector<std::vector<Turn>> waiting_;                     ///< heaps, by channel and virtual channel
  std::vector<Ticks> tags_;                                    ///< of what each channel sent last
  std::vector<std::unordered_map<std::uint64_t, Ticks>> last_; ///< tags, by channel and conversation
};

/// What waits for each channel. A packet's queue is its `input`, and it may go if there is room in its
/// `next_channel`. With Arbitration::fair packets wait by virtual channel instead, and one is a queue.
class Crosspoints {
public:
  /// `queues` of each channel. Keeps references to the packets, which it puts in chains, and to the rows of
  /// the channels' lines, which are its own.
  Crosspoints(Pool<Packet>& packets, std::span<ChannelLine> lines, Arbitration arbitration,
              std::uint32_t virtual_channels, std::span<const std::uint32_t> queues);

  /// How many packets wait for a channel, and for each.
  std::uint32_t waiting(std::uint32_t channel) const { return waiting_[channel]; }
  std::span<const std::uint32_t> waiting() const { return waiting_; }

  void add(std::uint32_t channel, std::uint32_t index) {
    ++waiting_[channel];
    const Packet& packet = packets_[index];
    if (arbitration_ == Arbitration::fair) {
      fair_turns_.add(channel, index, packet);
      return;
    }
    const QueueRow& row = lines_[channel].row;
    const std::uint32_t queue = packet.input;
    THALWEG_ASSERT(normal, queue < row.queues);
    queues_[row.first_queue + queue].append(packets_, index);
    words_[row.first_word + queue / word_bits] |= std::uint64_t{1} << queue % word_bits;
  }
  /// The queue whose first packet is next, of those packets that leave in a virtual channel whose bit is set;
  /// none: no packet does.
  std::uint32_t select(std::uint32_t channel, std::uint32_t open) const;
  /// Takes a queue's first packet out. With round robin, the next turn begins behind that queue.
  std::uint32_t take(std::uint32_t channel, std::uint32_t queue) {
    THALWEG_ASSERT(normal, waiting_[channel] > 0);
    --waiting_[channel];
    if (arbitration_ == Arbitration::fair)
      return fair_turns_.pop(channel, queue, packets_);
    QueueRow& row = lines_[channel].row;
    Chain& chain = queues_[row.first_queue + queue];
    const std::uint32_t index = chain.take_front(packets_);
    if (chain.is_empty())
      words_[row.first_word + queue / word_bits] &= ~(std::uint64_t{1} << queue % word_bits);
    row.served = queue;
    return index;
  }
  /// A packet has left without waiting, which counts as its queue's turn.
  void pass(std::uint32_t channel, std::uint32_t queue) {
    THALWEG_ASSERT(normal, waiting_[channel] == 0);
    lines_[channel].row.served = queue;
  }

private:
  static constexpr std::uint32_t word_bits = 64;

  std::uint32_t select_in_turn(const QueueRow& row, std::uint32_t open) const;
  std::uint32_t select_oldest(const QueueRow& row, std::uint32_t open) const;
  std::uint32_t next_queue(const QueueRow& row, std::uint32_t from) const;
  const Packet& first(const QueueRow& row, std::uint32_t queue) const {
    return packets_[queues_[row.first_queue + queue].front()];
  }
  bool may_go(const QueueRow& row, std::uint32_t queue, std::uint32_t open) const {
    return (open >> first(row, queue).next_channel & 1) != 0;
  }

  Pool<Packet>& packets_;
  Arbitration arbitration_;
  FairTurns fair_turns_; ///< off for other arbitrations
  std::span<ChannelLine> lines_;
  std::vector<std::uint32_t> waiting_;
  std::vector<Chain> queues_;
  std::vector<std::uint64_t> words_;
};

/// Queues of inputs, by the channel that leads to the input and by virtual channel.
class InputQueues {
public:
  /// With no channels there are none.
  InputQueues(std::uint32_t channels, std::uint32_t virtual_channels)
      : virtual_channels_(virtual_channels), inputs_(std::size_t{channels} * virtual_channels) {}

  bool has_any() const { return !inputs_.empty(); }
  std::uint32_t number(std::uint32_t channel, std::uint32_t virtual_channel) const {
    return channel * virtual_channels_ + virtual_channel;
  }
  /// May the packet go to its crosspoint? Else it waits.
  bool enter(std::uint32_t queue, std::uint32_t index, Pool<Packet>& packets) {
    Input& input = inputs_[queue];
    if (input.is_taken)
      input.behind.append(packets, index);
    return !std::exchange(input.is_taken, true);
  }
  /// The packet at the crosspoint has left: gives the one that may go there now, or none.
  std::uint32_t leave(std::uint32_t queue, const Pool<Packet>& packets) {
    Input& input = inputs_[queue];
    THALWEG_ASSERT(normal, input.is_taken);
    input.is_taken = !input.behind.is_empty();
    return input.is_taken ? input.behind.take_front(packets) : none;
  }

private:
  struct Input {
    Chain behind;          ///< the packet that is at a crosspoint
    bool is_taken = false; ///< there is one
  };

  std::uint32_t virtual_channels_;
  std::vector<Input> inputs_;
};

} // namespace thalweg::simulate::packet

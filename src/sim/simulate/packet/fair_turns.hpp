// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Fair turns of conversations: of those between two nodes that have packets for a channel, each has as much
// of it as any other (A. Demers, S. Keshav, S. Shenker, "Analysis and simulation of a fair queueing
// algorithm", 1989), by tags that follow from the packet that was sent last (S. Golestani, "A self-clocked
// fair queueing scheme for broadband applications", 1994).

#include "simulate/packet/packet.hpp"
#include "simulate/packet/queues.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace thalweg::simulate::packet {

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
    std::uint64_t number = 0; // in the order in which they came
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
  std::vector<std::vector<Turn>> waiting_;                     // heaps, by channel and virtual channel
  std::vector<Ticks> tags_;                                    // of what each channel sent last
  std::vector<std::unordered_map<std::uint64_t, Ticks>> last_; // tags, by channel and conversation
};

} // namespace thalweg::simulate::packet

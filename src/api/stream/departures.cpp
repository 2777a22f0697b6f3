// SPDX-License-Identifier: BSD-3-Clause
#include "stream/departures.hpp"

#include <cstring>

namespace thalweg::streams {

void Departures::enter() {
  THALWEG_ASSERT(light, overflow_.is_empty());
  const ItemRoute& route = mesh_.route();
  pools_.clear();
  for (std::uint32_t d = 0; d <= route.quiescence_dimension(); ++d)
    pools_.push_back(mesh_.pool(d));
  ways_.clear();
  for (const Peer& peer : route.peers()) {
    const Rank near = mesh_.fabric().near(peer.rank);
    ways_.push_back({.peer = peer.rank,
                     .near = near,
                     .dimension = peer.dimension,
                     .mailbox = near < 0 ? MailboxEnd() : mesh_.mailbox_to(near, peer.dimension)});
  }
}

void Departures::send(std::uint32_t link, Slot& slot) {
  Way& way = ways_[link];
  THALWEG_ASSERT(normal, way.peer >= 0 && slot.head.dimension == way.dimension);
  THALWEG_ASSERT(normal, slot.head.bytes <= mesh_.mesh().memory.slot_bytes());
  const std::uint32_t bytes = slot.head.carries_items(mesh_.route().dimensions()) ? slot.head.bytes : 0;
  pools_[way.dimension].sent(slot);
  if (way.near >= 0) {
    done_.near_bytes += bytes;
    way.mailbox.post({.place = mesh_.place_of(slot), .flags = slot.head.flags, .phase = slot.head.phase});
    mesh_.ring(way.near);
  } else {
    done_.far_bytes += bytes;
    ++done_.far_messages;
    mesh_.remote()->send(slot, way.peer);
  }
}

void Departures::send(std::uint32_t link, const Notice& notice) {
  THALWEG_ASSERT(normal, notice.place == 0 && near(link) >= 0 && !is_waited_for(link));
  ways_[link].mailbox.post(notice);
  ring(link);
}

bool Departures::drain_waiting() {
  return overflow_.drain([this](std::uint32_t link, const Slot& waiting) {
    Slot* const slot = pools_[ways_[link].dimension].take();
    if (slot == nullptr)
      return false;
    slot->head = waiting.head;
    std::memcpy(slot->items(), waiting.items(), waiting.head.bytes);
    send(link, *slot);
    return true;
  });
}

std::size_t Departures::memory_bytes() const {
  std::size_t bytes = mesh_.remote() == nullptr ? 0 : mesh_.remote()->memory_bytes();
  for (const SlotPool& pool : pools_)
    bytes += pool.touched() * mesh_.mesh().memory.stride();
  return bytes;
}

} // namespace thalweg::streams

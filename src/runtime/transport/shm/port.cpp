// SPDX-License-Identifier: BSD-3-Clause
#include "transport/shm/port.hpp"

#include "base/assertion.hpp"
#include "wait/waiter.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace thalweg::transport {

namespace {

void finish(const InFlightMessage& message) {
  THALWEG_ASSERT(normal, message.owner->in_flight > 0);
  message.owner->finish(message.id);
}

/// Takes the next bytes of a message to where they belong.
void absorb(InFlightMessage& receive, std::byte* bytes, std::size_t count, bool spent = true) {
  THALWEG_ASSERT(normal, receive.done + count <= receive.message.bytes);
  std::byte* const to = receive.message.data + receive.done;
  if (receive.message.combiner != nullptr)
    receive.message.combiner->combine(
        bytes, receive.message.own == nullptr ? to : receive.message.own + receive.done, to, count, spent);
  else if (count > 0)
    std::memcpy(to, bytes, count);
  receive.done += count;
}

/// Threads that look at batches of their own may not be such as may call the library.
bool is_left_to_its_owner(const InFlightMessage& receive, const Completions& looking) {
  return receive.message.combiner != nullptr && receive.owner != &looking &&
         receive.message.combiner->calls_library();
}

void check_fits(const InFlightMessage& receive, std::size_t bytes) {
  if (bytes > receive.message.bytes)
    throw TruncationError(fmt::format("rank {} sent {} bytes where {} were awaited", receive.message.peer,
                                      bytes, receive.message.bytes),
                          "give the same counts on all ranks");
}

} // namespace

Port::Port(const std::vector<PeerChannels>& channels, const BroadcastBuffer& broadcast_buffer, bool threaded)
    : peers_(channels.begin(), channels.end()), broadcast_buffer_(broadcast_buffer), threaded_(threaded) {}

std::unique_lock<std::mutex> Port::lock() {
  return threaded_ ? std::unique_lock(mutex_) : std::unique_lock<std::mutex>();
}

void Port::activate(Rank number) {
  Peer& peer = peers_[static_cast<std::size_t>(number)];
  if (peer.is_active)
    return;
  peer.is_active = true;
  active_.push_back(number);
}

void Port::start_send(Rank number, InFlightMessage& message) {
  THALWEG_ASSERT(normal, number >= 0 && static_cast<std::size_t>(number) < peers_.size());
  const auto guard = lock();
  ++message.owner->in_flight;
  Peer& peer = peers_[static_cast<std::size_t>(number)];
  if (peer.sends.empty() && put(peer, message))
    return;
  peer.sends.push_back(&message);
  activate(number);
}

void Port::start_receive(Rank number, InFlightMessage& message) {
  THALWEG_ASSERT(normal, number >= 0 && static_cast<std::size_t>(number) < peers_.size());
  const auto guard = lock();
  ++message.owner->in_flight;
  Peer& peer = peers_[static_cast<std::size_t>(number)];
  if (!peer.unexpected.empty() && match_unexpected(peer, message))
    return;
  peer.receives.push_back(&message);
  activate(number);
}

bool Port::try_send(const Message& message) {
  const auto guard = lock();
  Peer& peer = peers_[static_cast<std::size_t>(message.peer)];
  if (!peer.out.is_one_chunk(message.bytes, message.granule) || !peer.sends.empty() || is_published(message))
    return false;
  if (peer.out.offer(message.tag, message.data, message.bytes, 0, message.granule) == 0)
    return false;
  peer.wake();
  return true;
}

std::size_t Port::try_publish(std::span<const Message> messages) {
  const Message& first = messages.front();
  const std::size_t members = first.multicast.members;
  if (messages.size() < members || messages[members - 1].multicast.number != first.multicast.number)
    return 0;
  const auto guard = lock();
  const auto all_members = messages.first(members);
  const auto is_free = [this](const Message& message) {
    Peer& peer = peers_[static_cast<std::size_t>(message.peer)];
    return peer.sends.empty() && peer.out.has_free_slot();
  };
  if (!std::ranges::all_of(all_members, is_free))
    return 0;
  const bool is_far = std::ranges::any_of(all_members, [this](const Message& message) {
    return peers_[static_cast<std::size_t>(message.peer)].distance.is_far();
  });
  const std::optional<std::uint64_t> offset = broadcast_buffer_.publish(first.data, first.bytes, is_far);
  if (!offset)
    return 0;
  for (const Message& message : all_members) {
    Peer& peer = peers_[static_cast<std::size_t>(message.peer)];
    peer.out.offer_published(message.tag, *offset, message.bytes);
    peer.wake();
  }
  broadcast_buffer_.close(*offset, first.multicast.members);
  return members;
}

Port::Attempt Port::try_receive(const Message& message) {
  const auto guard = lock();
  Peer& peer = peers_[static_cast<std::size_t>(message.peer)];
  if (peer.is_active || peer.buffers_unexpected || !peer.unexpected.empty())
    return Attempt::must_be_posted;
  const Slot* slot = peer.in.look(message.bytes);
  if (slot == nullptr)
    return Attempt::not_here;
  const std::size_t bytes = slot->message_bytes();
  if (slot->tag != message.tag || bytes > message.bytes || !slot->is_whole())
    return Attempt::must_be_posted;
  InFlightMessage receive{message};
  absorb(receive, peer.in.chunk(*slot), bytes, !slot->is_in_broadcast_buffer());
  give_back(peer, *slot);
  return Attempt::received;
}

Port::State Port::progress(const Completions& owner) {
  const auto guard = lock();
  for (std::size_t index = 0; index < active_.size();) {
    Peer& peer = peers_[static_cast<std::size_t>(active_[index])];
    push(peer);
    pull(peer, owner);
    if (!peer.is_idle()) {
      ++index;
      continue;
    }
    THALWEG_ASSERT(normal, peer.is_active);
    peer.is_active = false;
    active_[index] = active_.back();
    active_.pop_back();
  }
  return state_of(owner);
}

void Port::take_finished(Completions& owner, std::vector<int>& ids) {
  const auto guard = lock();
  std::swap(owner.finished, ids);
  owner.finished.clear();
}

void Port::push(Peer& peer) {
  while (!peer.sends.empty()) {
    if (!put(peer, *peer.sends.front()))
      return;
    peer.sends.pop_front();
  }
}

/// Puts what fits of a message into the channel; true when it has finished.
bool Port::put(Peer& peer, InFlightMessage& send) {
  const Message& message = send.message;
  const std::size_t before = send.done;
  if (is_published(message) && !send.through_channel) {
    const Publishing publishing = publish(peer, send);
    if (publishing == Publishing::announced) {
      peer.wake();
      finish(send);
    }
    if (publishing != Publishing::given_up)
      return publishing == Publishing::announced;
  }
  send.done = peer.out.offer(message.tag, message.data, message.bytes, send.done, message.granule);
  if (send.done != before)
    peer.wake();
  if (send.done < std::max<std::size_t>(message.bytes, 1))
    return false;
  finish(send);
  return true;
}

/// Announces the message's slot in the broadcast buffer to the peer; the first of its multicast takes one.
Port::Publishing Port::publish(Peer& peer, InFlightMessage& send) {
  constexpr std::uint64_t patience_ns = 1'000'000;
  const Message& message = send.message;
  const std::size_t number = find_publication(*send.owner, message.multicast);
  Publication& publication = send.owner->publications[number];
  if (!publication.offset)
    publication.offset = broadcast_buffer_.publish(message.data, message.bytes, peer.distance.is_far());
  if (!publication.offset) {
    const std::uint64_t now_ns = wait::System::now_ns();
    if (send.waits_since_ns == 0)
      send.waits_since_ns = now_ns;
    if (now_ns - send.waits_since_ns < patience_ns)
      return Publishing::waits;
    send.through_channel = true;
    count_off(*send.owner, number);
    return Publishing::given_up;
  }
  if (!peer.out.offer_published(message.tag, *publication.offset, message.bytes))
    return Publishing::waits;
  ++publication.readers;
  count_off(*send.owner, number);
  return Publishing::announced;
}

void Port::pass_over(Completions& owner, const Message& message) {
  const auto guard = lock();
  if (is_published(message))
    count_off(owner, find_publication(owner, message.multicast));
}

std::size_t Port::find_publication(Completions& owner, const Multicast& multicast) {
  const auto known =
      std::ranges::find(owner.publications, multicast.number,
                        [](const Publication& publication) { return publication.multicast.number; });
  const auto number = static_cast<std::size_t>(known - owner.publications.begin());
  if (known == owner.publications.end())
    owner.publications.push_back({multicast, std::nullopt, 0});
  return number;
}

/// One of its members less is left; after the last, the slot will be announced to nobody else.
void Port::count_off(Completions& owner, std::size_t number) {
  THALWEG_ASSERT(normal, number < owner.publications.size());
  Publication& publication = owner.publications[number];
  THALWEG_ASSERT(normal, publication.multicast.members > 0);
  if (--publication.multicast.members > 0)
    return;
  if (publication.offset)
    broadcast_buffer_.close(*publication.offset, publication.readers);
  publication = owner.publications.back();
  owner.publications.pop_back();
}

void Port::pull(Peer& peer, const Completions& owner) {
  while (peer.filling != nullptr || !peer.receives.empty()) {
    const Slot* slot = peer.in.look();
    if (slot == nullptr)
      return;
    if (peer.filling == nullptr && !peer.buffers_unexpected)
      begin_message(peer, *slot);
    if (peer.filling != nullptr && is_left_to_its_owner(*peer.filling, owner))
      return;
    deliver(peer, *slot);
  }
}

void Port::begin_message(Peer& peer, const Slot& slot) {
  const auto posted = std::ranges::find_if(
      peer.receives, [&](const InFlightMessage* receive) { return receive->message.tag == slot.tag; });
  if (posted == peer.receives.end()) {
    Unexpected& unexpected = peer.unexpected.emplace_back();
    unexpected.tag = slot.tag;
    unexpected.data.resize(slot.message_bytes());
    peer.buffers_unexpected = true;
    return;
  }
  check_fits(**posted, slot.message_bytes());
  peer.filling = *posted;
  peer.receives.erase(posted);
}

/// The sender may sleep until there is room.
void Port::give_back(Peer& peer, const Slot& slot) {
  if (peer.in.consume(slot))
    peer.wake();
}

void Port::deliver(Peer& peer, const Slot& slot) {
  const std::size_t total = slot.message_bytes();
  const std::size_t count = slot.chunk_bytes();
  std::byte* const bytes = peer.in.chunk(slot);
  if (peer.filling != nullptr) {
    InFlightMessage& receive = *peer.filling;
    absorb(receive, bytes, count, !slot.is_in_broadcast_buffer());
    give_back(peer, slot);
    if (receive.done == total) {
      peer.filling = nullptr;
      finish(receive);
    }
    return;
  }
  Unexpected& unexpected = peer.unexpected.back();
  if (count > 0)
    std::memcpy(unexpected.data.data() + unexpected.done, bytes, count);
  unexpected.done += count;
  THALWEG_ASSERT(normal, unexpected.done <= total && total == unexpected.data.size());
  give_back(peer, slot);
  peer.buffers_unexpected = unexpected.done < total;
}

/// True when the message finished, or its rest goes to where it belongs from now on.
bool Port::match_unexpected(Peer& peer, InFlightMessage& receive) {
  const auto came = std::ranges::find(peer.unexpected, receive.message.tag, &Unexpected::tag);
  if (came == peer.unexpected.end())
    return false;
  check_fits(receive, came->data.size());
  absorb(receive, came->data.data(), came->done);
  const bool is_whole = came->done == came->data.size();
  peer.unexpected.erase(came);
  if (is_whole) {
    finish(receive);
    return true;
  }
  peer.buffers_unexpected = false;
  peer.filling = &receive;
  activate(static_cast<Rank>(&peer - peers_.data()));
  return true;
}

void Port::forget(Completions* owner) {
  const auto guard = lock();
  if (owner->in_flight == 0 && owner->publications.empty())
    return;
  for (const Publication& publication : owner->publications)
    if (publication.offset)
      broadcast_buffer_.close(*publication.offset, publication.readers);
  owner->publications.clear();
  const auto is_owned = [owner](const InFlightMessage* message) { return message->owner == owner; };
  for (Peer& peer : peers_) {
    std::erase_if(peer.sends, is_owned);
    std::erase_if(peer.receives, is_owned);
    if (peer.filling != nullptr && is_owned(peer.filling))
      peer.filling = nullptr;
  }
}

} // namespace thalweg::transport

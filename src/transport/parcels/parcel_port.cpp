#include "transport/parcels/parcel_port.hpp"

#include "wait/waiter.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace thalweg::transport {

namespace {

constexpr std::size_t most_parcels_going = 64;
/// So long a rank may put messages together without waiting for anything.
constexpr std::uint64_t patience_ns = 50'000;
/// A look takes a library a microsecond or more, and whoever waits for several calls looks for each.
constexpr std::uint64_t between_looks_ns = 2'000;
constexpr std::size_t unit = 8; // everything in a parcel begins at a multiple

struct Head {
  std::int32_t tag;
  std::uint32_t bytes;
};
static_assert(sizeof(Head) == unit);

std::size_t room_for(std::size_t bytes) {
  return sizeof(Head) + (bytes + unit - 1) / unit * unit;
}

} // namespace

ParcelPort::ParcelPort(Transport& below, std::int32_t tag)
    : tag_(tag), peers_(static_cast<std::size_t>(below.ranks())), sending_(most_parcels_going),
      batch_(below.make_batch()) {
  batch_->reserve(peers_.size() + most_parcels_going);
  for (std::uint32_t slot = 0; slot < most_parcels_going; ++slot)
    free_.push_back(slot);
}

void ParcelPort::send(const Message& message) {
  Peer& peer = peers_[static_cast<std::size_t>(message.peer)];
  if (peer.going.size() + room_for(message.bytes) > parcel_bytes)
    post(message.peer);
  if (peer.going.empty()) {
    if (to_send_.empty())
      oldest_ns_ = wait::System::now_ns();
    if (std::ranges::find(to_send_, message.peer) == to_send_.end())
      to_send_.push_back(message.peer);
    peer.going.reserve(parcel_bytes);
    peer.going.resize(unit); // the length
  }
  const Head head{message.tag, static_cast<std::uint32_t>(message.bytes)};
  const std::size_t begin = peer.going.size();
  peer.going.resize(begin + room_for(message.bytes));
  std::memcpy(&peer.going[begin], &head, sizeof head);
  if (message.bytes > 0)
    std::memcpy(&peer.going[begin + sizeof head], message.data, message.bytes);
}

// The parcel goes; the peer stays in the list, where it is harmless.
void ParcelPort::post(Rank number) {
  Peer& peer = peers_[static_cast<std::size_t>(number)];
  if (peer.going.empty())
    return;
  const std::uint64_t length = peer.going.size();
  std::memcpy(peer.going.data(), &length, sizeof length);
  const std::uint32_t slot = free_slot();
  std::swap(sending_[slot], peer.going);
  peer.going.clear();
  batch_->start_send(static_cast<std::uint32_t>(peers_.size()) + slot,
                     {.peer = number, .tag = tag_, .data = sending_[slot].data(), .bytes = length});
}

std::uint32_t ParcelPort::free_slot() {
  while (free_.empty())
    progress();
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  return slot;
}

void ParcelPort::flush() {
  while (!to_send_.empty()) {
    const Rank peer = to_send_.back();
    to_send_.pop_back();
    post(peer);
  }
}

void ParcelPort::receive(const Message& message, ParcelsTaken& owner, std::uint32_t slot) {
  Peer& peer = peers_[static_cast<std::size_t>(message.peer)];
  ++owner.under_way;
  const Awaited awaited{message, &owner, slot};
  const auto came = std::ranges::find(peer.aside, message.tag, &Aside::tag);
  if (came != peer.aside.end()) {
    finish(awaited, came->data.data(), came->data.size());
    peer.aside.erase(came);
    return;
  }
  peer.awaited.push_back(awaited);
  if (peer.coming.empty())
    await_parcel(message.peer);
}

void ParcelPort::await_parcel(Rank number) {
  Peer& peer = peers_[static_cast<std::size_t>(number)];
  peer.coming.resize(parcel_bytes);
  batch_->start_receive(
      static_cast<std::uint32_t>(number),
      {.peer = number, .tag = tag_, .data = peer.coming.data(), .bytes = parcel_bytes, .at_most = true});
}

void ParcelPort::progress() {
  const std::uint64_t now_ns = wait::System::now_ns();
  if (!to_send_.empty() && now_ns - oldest_ns_ > patience_ns)
    flush();
  if (now_ns - looked_ns_ < between_looks_ns)
    return;
  // What is dispatched may start receives, which the list of finished ones does not bear.
  const std::span<const int> found = batch_->poll();
  const std::vector<int> finished(found.begin(), found.end());
  for (const int slot : finished) {
    const auto number = static_cast<std::size_t>(slot);
    if (number < peers_.size())
      dispatch(static_cast<Rank>(number));
    else
      free_.push_back(static_cast<std::uint32_t>(number - peers_.size()));
  }
  looked_ns_ = wait::System::now_ns();
}

void ParcelPort::dispatch(Rank number) {
  Peer& peer = peers_[static_cast<std::size_t>(number)];
  std::uint64_t length = 0;
  std::memcpy(&length, peer.coming.data(), sizeof length);
  for (std::size_t at = unit; at < length;) {
    Head head{};
    std::memcpy(&head, &peer.coming[at], sizeof head);
    deliver(peer, head.tag, &peer.coming[at] + sizeof head, head.bytes);
    at += room_for(head.bytes);
  }
  await_parcel(number);
}

void ParcelPort::deliver(Peer& peer, std::int32_t tag, const std::byte* data, std::size_t bytes) {
  const auto awaited =
      std::ranges::find_if(peer.awaited, [tag](const Awaited& one) { return one.message.tag == tag; });
  if (awaited == peer.awaited.end()) {
    peer.aside.push_back({tag, {data, data + bytes}});
    return;
  }
  finish(*awaited, data, bytes);
  peer.awaited.erase(awaited);
}

void ParcelPort::finish(const Awaited& awaited, const std::byte* data, std::size_t bytes) {
  if (bytes > awaited.message.bytes)
    throw TruncationError(fmt::format("a message of {} bytes from rank {} came for {}", bytes,
                                      awaited.message.peer, awaited.message.bytes),
                          "all ranks must give the same sizes");
  if (bytes > 0)
    std::memcpy(awaited.message.data, data, bytes);
  --awaited.owner->under_way;
  awaited.owner->finished.push_back(static_cast<int>(awaited.slot));
}

void ParcelPort::forget(const ParcelsTaken* owner) {
  for (Peer& peer : peers_)
    std::erase_if(peer.awaited, [owner](const Awaited& one) { return one.owner == owner; });
}

} // namespace thalweg::transport

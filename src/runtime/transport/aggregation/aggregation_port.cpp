// SPDX-License-Identifier: BSD-3-Clause
#include "transport/aggregation/aggregation_port.hpp"

#include "wait/waiter.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace thalweg::transport {

namespace {

constexpr std::size_t max_packets_in_flight = 64;
/// So long a rank may put messages together without waiting for anything.
constexpr std::uint64_t patience_ns = 50'000;
/// A look takes a library a microsecond or more, and whoever waits for several calls looks for each.
constexpr std::uint64_t between_looks_ns = 2'000;
constexpr std::size_t unit = 8; // everything in a packet begins at a multiple

struct Head {
  std::int32_t tag;
  std::uint32_t bytes;
};
static_assert(sizeof(Head) == unit);

std::size_t room_for(std::size_t bytes) {
  return sizeof(Head) + (bytes + unit - 1) / unit * unit;
}

} // namespace

AggregationPort::AggregationPort(Transport& below, std::int32_t tag)
    : tag_(tag), peers_(static_cast<std::size_t>(below.ranks())), sending_(max_packets_in_flight),
      batch_(below.make_batch()) {
  batch_->reserve(peers_.size() + max_packets_in_flight);
  for (std::uint32_t id = 0; id < max_packets_in_flight; ++id)
    free_.push_back(id);
}

void AggregationPort::send(const Message& message) {
  Peer& peer = peers_[static_cast<std::size_t>(message.peer)];
  if (peer.outgoing.size() + room_for(message.bytes) > packet_bytes)
    post(message.peer);
  if (peer.outgoing.empty()) {
    if (to_send_.empty())
      oldest_ns_ = wait::System::now_ns();
    if (std::ranges::find(to_send_, message.peer) == to_send_.end())
      to_send_.push_back(message.peer);
    peer.outgoing.reserve(packet_bytes);
    peer.outgoing.resize(unit); // the length
  }
  const Head head{message.tag, static_cast<std::uint32_t>(message.bytes)};
  const std::size_t begin = peer.outgoing.size();
  peer.outgoing.resize(begin + room_for(message.bytes));
  std::memcpy(&peer.outgoing[begin], &head, sizeof head);
  if (message.bytes > 0)
    std::memcpy(&peer.outgoing[begin + sizeof head], message.data, message.bytes);
}

// The packet goes; the peer stays in the list, where it is harmless.
void AggregationPort::post(Rank number) {
  Peer& peer = peers_[static_cast<std::size_t>(number)];
  if (peer.outgoing.empty())
    return;
  const std::uint64_t length = peer.outgoing.size();
  std::memcpy(peer.outgoing.data(), &length, sizeof length);
  const std::uint32_t id = free_id();
  std::swap(sending_[id], peer.outgoing);
  peer.outgoing.clear();
  posted_ns_ = wait::System::now_ns();
  batch_->start_send(
      static_cast<std::uint32_t>(peers_.size()) + id,
      {.peer = number, .tag = tag_, .data = sending_[id].data(), .bytes = length, .at_most = true});
}

std::uint32_t AggregationPort::free_id() {
  while (free_.empty())
    progress();
  const std::uint32_t id = free_.back();
  free_.pop_back();
  return id;
}

void AggregationPort::flush() {
  while (!to_send_.empty()) {
    const Rank peer = to_send_.back();
    to_send_.pop_back();
    post(peer);
  }
}

void AggregationPort::flush_unless_in_row() {
  if (!to_send_.empty() && wait::System::now_ns() - posted_ns_ > patience_ns)
    flush();
}

void AggregationPort::receive(const Message& message, AggregatedReceives& owner, std::uint32_t id) {
  Peer& peer = peers_[static_cast<std::size_t>(message.peer)];
  ++owner.in_flight;
  const PostedReceive posted{message, &owner, id};
  const auto came = std::ranges::find(peer.unexpected, message.tag, &Unexpected::tag);
  if (came != peer.unexpected.end()) {
    finish(posted, came->data.data(), came->data.size());
    peer.unexpected.erase(came);
    return;
  }
  peer.posted.push_back(posted);
  if (peer.incoming.empty())
    post_packet_receive(message.peer);
}

void AggregationPort::post_packet_receive(Rank number) {
  Peer& peer = peers_[static_cast<std::size_t>(number)];
  peer.incoming.resize(packet_bytes);
  batch_->start_receive(
      static_cast<std::uint32_t>(number),
      {.peer = number, .tag = tag_, .data = peer.incoming.data(), .bytes = packet_bytes, .at_most = true});
}

void AggregationPort::progress() {
  const std::uint64_t now_ns = wait::System::now_ns();
  if (!to_send_.empty() && now_ns - oldest_ns_ > patience_ns)
    flush();
  if (now_ns - looked_ns_ < between_looks_ns)
    return;
  // What is dispatched may start receives, which would invalidate the list of finished ones.
  const std::span<const int> found = batch_->poll();
  const std::vector<int> finished(found.begin(), found.end());
  for (const int id : finished) {
    const auto number = static_cast<std::size_t>(id);
    if (number < peers_.size())
      dispatch(static_cast<Rank>(number));
    else
      free_.push_back(static_cast<std::uint32_t>(number - peers_.size()));
  }
  looked_ns_ = wait::System::now_ns();
}

void AggregationPort::dispatch(Rank number) {
  Peer& peer = peers_[static_cast<std::size_t>(number)];
  std::uint64_t length = 0;
  std::memcpy(&length, peer.incoming.data(), sizeof length);
  for (std::size_t at = unit; at < length;) {
    Head head{};
    std::memcpy(&head, &peer.incoming[at], sizeof head);
    deliver(peer, head.tag, &peer.incoming[at] + sizeof head, head.bytes);
    at += room_for(head.bytes);
  }
  post_packet_receive(number);
}

void AggregationPort::deliver(Peer& peer, std::int32_t tag, const std::byte* data, std::size_t bytes) {
  const auto posted =
      std::ranges::find_if(peer.posted, [tag](const PostedReceive& one) { return one.message.tag == tag; });
  if (posted == peer.posted.end()) {
    peer.unexpected.push_back({tag, {data, data + bytes}});
    return;
  }
  finish(*posted, data, bytes);
  peer.posted.erase(posted);
}

void AggregationPort::finish(const PostedReceive& posted, const std::byte* data, std::size_t bytes) {
  if (bytes > posted.message.bytes)
    throw TruncationError(fmt::format("a message of {} bytes from rank {} came for {}", bytes,
                                      posted.message.peer, posted.message.bytes),
                          "all ranks must give the same sizes");
  if (bytes > 0)
    std::memcpy(posted.message.data, data, bytes);
  --posted.owner->in_flight;
  posted.owner->finished.push_back(static_cast<int>(posted.id));
}

void AggregationPort::forget(const AggregatedReceives* owner) {
  for (Peer& peer : peers_)
    std::erase_if(peer.posted, [owner](const PostedReceive& one) { return one.owner == owner; });
}

} // namespace thalweg::transport

// SPDX-License-Identifier: BSD-3-Clause
#include "transport/aggregation/aggregating_transport.hpp"

#include "base/assertion.hpp"
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
  THALWEG_ASSERT(normal, message.bytes <= max_aggregated_bytes);
  THALWEG_ASSERT(normal, message.peer >= 0 && static_cast<std::size_t>(message.peer) < peers_.size());
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
  THALWEG_ASSERT(normal, length <= packet_bytes);
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
  THALWEG_ASSERT(normal, length > unit && length <= packet_bytes && length % unit == 0);
  for (std::size_t at = unit; at < length;) {
    Head head{};
    std::memcpy(&head, &peer.incoming[at], sizeof head);
    THALWEG_ASSERT(normal, at + room_for(head.bytes) <= length);
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
  THALWEG_ASSERT(normal, posted.owner->in_flight > 0);
  --posted.owner->in_flight;
  posted.owner->finished.push_back(static_cast<int>(posted.id));
}

void AggregationPort::forget(const AggregatedReceives* owner) {
  for (Peer& peer : peers_)
    std::erase_if(peer.posted, [owner](const PostedReceive& one) { return one.owner == owner; });
}

struct AggregatingTransport::Shared {
  Shared(std::unique_ptr<Transport> transport, const wait::Policy& how)
      : below(std::move(transport)), port(*below, below->tag_limit() - 1), waiting(how) {}
  std::unique_ptr<Transport> below;
  AggregationPort port;
  wait::Policy waiting;
};

class AggregatingTransport::AggregatingBatch final : public Batch {
public:
  explicit AggregatingBatch(std::shared_ptr<Shared> shared)
      : shared_(std::move(shared)), alone_(shared_->below->make_batch()) {}
  ~AggregatingBatch() override {
    if (receives_.in_flight > 0)
      shared_->port.forget(&receives_);
  }
  AggregatingBatch(const AggregatingBatch&) = delete;
  AggregatingBatch& operator=(const AggregatingBatch&) = delete;

  void reserve(std::size_t count) override {
    alone_->reserve(count);
    receives_.finished.reserve(count);
    reported_.reserve(count);
  }

  void start_receive(std::uint32_t id, const Message& message) override {
    if (is_aggregated(message)) {
      shared_->port.receive(message, receives_, id);
      return;
    }
    ++alone_in_flight_;
    alone_->start_receive(id, message);
  }

  void start_send(std::uint32_t id, const Message& message) override {
    if (is_aggregated(message)) {
      shared_->port.send(message);
      receives_.finished.push_back(static_cast<int>(id));
      return;
    }
    ++alone_in_flight_;
    alone_->start_send(id, message);
  }

  void flush() override { shared_->port.flush(); }

  std::span<const int> poll() override {
    shared_->port.progress();
    reported_.clear();
    std::swap(reported_, receives_.finished);
    if (alone_in_flight_ > 0) {
      const std::span<const int> found = alone_->poll();
      THALWEG_ASSERT(normal, found.size() <= alone_in_flight_);
      alone_in_flight_ -= found.size();
      reported_.insert(reported_.end(), found.begin(), found.end());
    }
    return reported_;
  }

  std::span<const int> wait() override {
    const auto look = [this] {
      flush();
      return poll().empty() ? wait::Look::nothing : wait::Look::reached;
    };
    wait::until(shared_->waiting, look);
    return reported_;
  }

  bool all_finished() override {
    poll();
    return receives_.in_flight == 0 && alone_in_flight_ == 0;
  }

private:
  /// The same at both ends: they have its size, or know both that one of them has not.
  static bool is_aggregated(const Message& message) {
    return message.bytes <= max_aggregated_bytes && !message.at_most;
  }

  std::shared_ptr<Shared> shared_;
  std::unique_ptr<Batch> alone_; ///< messages that go by themselves
  std::size_t alone_in_flight_ = 0;
  AggregatedReceives receives_;
  std::vector<int> reported_;
};

AggregatingTransport::AggregatingTransport(std::unique_ptr<Transport> below, const wait::Policy& waiting)
    : shared_(std::make_shared<Shared>(std::move(below), waiting)) {}

Rank AggregatingTransport::rank() const {
  return shared_->below->rank();
}

std::int32_t AggregatingTransport::ranks() const {
  return shared_->below->ranks();
}

std::int32_t AggregatingTransport::tag_limit() const {
  return shared_->below->tag_limit() - 1;
}

std::unique_ptr<Batch> AggregatingTransport::make_batch() {
  return std::make_unique<AggregatingBatch>(shared_);
}

void AggregatingTransport::flush() {
  shared_->port.flush();
}

void AggregatingTransport::flush_unless_in_row() {
  shared_->port.flush_unless_in_row();
}

} // namespace thalweg::transport

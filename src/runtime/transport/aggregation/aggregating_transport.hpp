// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Short messages put together: what a rank sends to another one before anybody waits for it goes as one
// message of the transport below.
//
// A packet is its length, and for each message a head (tag, bytes) and the bytes. One receive for packets
// stands ready for each rank that something has ever been awaited from; what has come before it is awaited is
// put aside.

#include "transport/transport.hpp"
#include "wait/policy.hpp"

#include <deque>
#include <memory>
#include <vector>

namespace thalweg::transport {

inline constexpr std::size_t packet_bytes = 8192;
inline constexpr std::size_t max_aggregated_bytes = 1024; ///< longer messages go by themselves

/// Where a batch learns which of its short receives have finished.
struct AggregatedReceives {
  std::size_t in_flight = 0;
  std::vector<int> finished;
};

/// What a rank puts together, and what has come for it.
class AggregationPort {
public:
  /// `below` has to outlive it, and must carry nothing else with that tag.
  AggregationPort(Transport& below, std::int32_t tag);

  /// Copies the message, which is done with then.
  void send(const Message& message);
  void receive(const Message& message, AggregatedReceives& owner, std::uint32_t id);
  /// Takes what has come, and sends what has waited for long.
  void progress();
  /// Sends what is put together.
  void flush();
  /// The same, unless a packet has gone lately: a row of calls follows each other then, and travels together.
  void flush_unless_in_row();
  /// Its owner ends while receives are under way, after an error.
  void forget(const AggregatedReceives* owner);

private:
  struct PostedReceive {
    Message message;
    AggregatedReceives* owner;
    std::uint32_t id;
  };
  struct Unexpected {
    std::int32_t tag;
    std::vector<std::byte> data;
  };
  struct Peer {
    std::vector<std::byte> outgoing;   ///< the packet that is put together
    std::vector<std::byte> incoming;   ///< where the next one arrives; empty before anything was awaited
    std::deque<PostedReceive> posted;  ///< in the order in which they were started
    std::deque<Unexpected> unexpected; ///< in the order in which they came
  };

  void post_packet_receive(Rank peer);
  void post(Rank peer);
  void dispatch(Rank peer);
  void deliver(Peer& peer, std::int32_t tag, const std::byte* data, std::size_t bytes);
  static void finish(const PostedReceive& posted, const std::byte* data, std::size_t bytes);
  std::uint32_t free_id();

  std::int32_t tag_;
  std::vector<Peer> peers_;
  std::vector<Rank> to_send_; ///< whose packets hold something
  std::uint64_t oldest_ns_ = 0;
  std::uint64_t posted_ns_ = 0;                 ///< when the last packet went
  std::uint64_t looked_ns_ = 0;                 ///< when the transport below was last asked
  std::vector<std::vector<std::byte>> sending_; ///< by id above the peers'
  std::vector<std::uint32_t> free_;
  std::unique_ptr<Batch> batch_; ///< ends before the memory that it works on
};

/// A transport whose short messages travel together, over another one.
class AggregatingTransport final : public Transport {
public:
  /// The last tag of the transport below is for packets.
  AggregatingTransport(std::unique_ptr<Transport> below, const wait::Policy& waiting);

  Rank rank() const override;
  std::int32_t ranks() const override;
  std::int32_t tag_limit() const override;
  bool waits_by_looking() const override { return true; }
  std::unique_ptr<Batch> make_batch() override;

  /// Sends what is put together. Whoever is about to wait for others calls it, again and again; and whoever
  /// goes back to a program, which may be long in coming again.
  void flush();
  /// The same for a call that is likely to be one of a row: the first goes at once, the others together.
  void flush_unless_in_row();

private:
  struct Shared;
  class AggregatingBatch;
  std::shared_ptr<Shared> shared_; ///< batches may be the last to need it
};

} // namespace thalweg::transport

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The messages of one rank in a group of processes that share memory: what waits to be sent, what is awaited,
// and what came before it was awaited.
//
// Channels keep order, tags do not: a message at a channel's head that nobody awaits yet is buffered, so
// that those behind it can pass. Only channels with something to send or awaited are looked at.
//
// Long messages that carry the same bytes to several ranks are copied to the rank's broadcast buffer once.
// Where that has no room for long they go through the channels, each for itself: else one reader that is busy
// with something else could keep all others waiting, and that for ever if it waits for one of them.

#include "transport/shm/broadcast_buffer.hpp"
#include "transport/shm/channel.hpp"
#include "transport/shm/doorbell.hpp"
#include "transport/transport.hpp"

#include <deque>
#include <mutex>
#include <vector>

namespace thalweg::transport {

/// A multicast of which some messages are still to be started or announced.
struct Publication {
  Multicast multicast; ///< with the members that are left
  std::optional<std::uint64_t> offset;
  std::uint32_t readers = 0; ///< to which it was announced
};

/// Where a batch learns which of its messages have finished. Whoever makes the port progress writes it, so it
/// is read and written through the port.
struct Completions {
  std::size_t in_flight = 0;
  std::vector<int> finished;
  std::vector<Publication> publications;

  void finish(std::uint32_t id) {
    --in_flight;
    finished.push_back(static_cast<int>(id));
  }
};

/// A message in flight. Stays where it is until it has finished.
struct InFlightMessage {
  Message message;
  std::size_t done = 0;
  Completions* owner = nullptr;
  std::uint32_t id = 0;
  std::uint64_t waits_since_ns = 0; ///< for room in the broadcast buffer; 0: it does not
  bool through_channel = false;     ///< it waited for too long
};

/// The channels to and from a rank of the group, and its doorbell.
struct PeerChannels {
  ChannelMemory outgoing;
  ChannelMemory incoming;
  Doorbell* doorbell = nullptr; ///< the rank's; nullptr where nobody sleeps
};

class Port {
public:
  /// `channels` are the ranks', in order. `threaded` if several threads use it.
  Port(const std::vector<PeerChannels>& channels, const BroadcastBuffer& broadcast_buffer, bool threaded);

  /// Peers are numbers in the group. Both may finish the message at once.
  void start_send(Rank peer, InFlightMessage& message);
  void start_receive(Rank peer, InFlightMessage& message);
  /// The short way for messages that may finish at once: no records of them. Neither does anything unless the
  /// message is whole afterwards.
  bool try_send(const Message& message);
  /// Is the message one of a multicast whose bytes are copied once?
  bool is_published(const Message& message) const {
    return message.bytes >= min_published && message.multicast.number != 0 &&
           message.bytes <= broadcast_buffer_.max_bytes();
  }
  /// The same for the first messages, if they are a whole multicast that is published: how many they are, or
  /// 0.
  std::size_t try_publish(std::span<const Message> messages);
  enum class Attempt { received, not_here, must_be_posted };
  Attempt try_receive(const Message& message);
  /// A message of one of the batch's multicasts goes another way.
  void pass_over(Completions& owner, const Message& message);
  /// Several threads use the port from now on.
  void share() { threaded_ = true; }
  struct State {
    std::size_t in_flight; ///< of the batch's messages
    bool has_finished;     ///< some, which were not taken yet
  };
  State state(const Completions& owner) {
    const auto guard = lock();
    return state_of(owner);
  }
  /// Moves whatever can be moved. Throws TruncationError.
  State progress(const Completions& owner);
  /// The ids of those that have finished, for those before.
  void take_finished(Completions& owner, std::vector<int>& ids);
  /// Its owner ends while messages are in flight, after an error.
  void forget(Completions* owner);

  std::size_t max_granule() const { return peers_.front().out.max_granule(); }

private:
  /// Messages from here on are published: below, the slot's line costs more than the copies that
  /// it saves. The model has the same number (model/step_costs.hpp).
  static constexpr std::size_t min_published = std::size_t{4} << 10;

  struct Unexpected {
    std::int32_t tag = 0;
    std::size_t done = 0;
    std::vector<std::byte> data;
  };

  struct Peer {
    explicit Peer(const PeerChannels& channels)
        : doorbell(channels.doorbell), distance(channels.doorbell == nullptr),
          out(channels.outgoing, channels.doorbell != nullptr, Stores::fastest, &distance),
          in(channels.incoming, &distance) {}
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;
    void wake() const {
      if (doorbell != nullptr)
        doorbell->wake_if_asleep();
    }
    Doorbell* doorbell;
    LineDistance distance;
    Sender out;
    Receiver in;
    std::deque<InFlightMessage*> sends;
    std::vector<InFlightMessage*> receives; ///< in the order in which they were started
    std::deque<Unexpected> unexpected;      ///< in the order in which they came
    InFlightMessage* filling = nullptr;     ///< what the message at the channel's head goes to,
    bool buffers_unexpected = false;        ///< or it goes to the last of `unexpected`
    bool is_active = false;
    bool is_idle() const { return sends.empty() && receives.empty() && filling == nullptr; }
  };

  std::unique_lock<std::mutex> lock();
  static State state_of(const Completions& owner) { return {owner.in_flight, !owner.finished.empty()}; }
  void activate(Rank number);
  void push(Peer& peer);
  bool put(Peer& peer, InFlightMessage& send);
  enum class Publishing { announced, waits, given_up };
  Publishing publish(Peer& peer, InFlightMessage& send);
  static std::size_t find_publication(Completions& owner, const Multicast& multicast);
  void count_off(Completions& owner, std::size_t number);
  void pull(Peer& peer, const Completions& owner);
  void begin_message(Peer& peer, const Slot& slot);
  static void give_back(Peer& peer, const Slot& slot);
  void deliver(Peer& peer, const Slot& slot);
  bool match_unexpected(Peer& peer, InFlightMessage& receive);

  std::vector<Peer> peers_;
  std::vector<Rank> active_;
  BroadcastBuffer broadcast_buffer_;
  std::mutex mutex_;
  bool threaded_;
};

} // namespace thalweg::transport

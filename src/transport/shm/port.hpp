#pragma once

// The messages of one rank in a group of processes that share memory: what waits to be sent, what is awaited,
// and what came before it was awaited.
//
// Channels keep order, tags do not: a message at a channel's head that nobody awaits yet is put aside, so
// that those behind it can pass. Only channels with something to send or awaited are looked at.
//
// Long messages that carry the same bytes to several ranks are copied to the rank's board once. Where that
// has no room for long they go through the channels, each for itself: else one reader that is busy with
// something else could keep all others waiting, and that for ever if it waits for one of them.

#include "transport/batch.hpp"
#include "transport/shm/bell.hpp"
#include "transport/shm/board.hpp"
#include "transport/shm/channel.hpp"

#include <deque>
#include <mutex>
#include <vector>

namespace thalweg::transport {

/// A multicast of which some messages are still to be started or told of.
struct Shown {
  Multicast multicast; ///< with the members that are left
  std::optional<std::uint64_t> place;
  std::uint32_t readers = 0; ///< that were told of it
};

/// Where a batch learns which of its messages have finished.
struct Completions {
  std::size_t under_way = 0;
  std::vector<int> finished;
  std::vector<Shown> shown;

  void finish(std::uint32_t slot) {
    --under_way;
    finished.push_back(static_cast<int>(slot));
  }
};

/// A message under way. Stays where it is until it has finished.
struct UnderWay {
  Message message;
  std::size_t done = 0;
  Completions* owner = nullptr;
  std::uint32_t slot = 0;
  std::uint64_t waits_since_ns = 0; ///< for room on the board; 0: it does not
  bool through_channel = false;     ///< it waited for too long
};

/// What a port has of each rank of the group.
struct Line {
  ChannelMemory outgoing;
  ChannelMemory incoming;
  Bell* bell = nullptr; ///< the rank's, to be rung; nullptr where nobody sleeps
};

class Port {
public:
  /// `lines` are the ranks', in order. `threaded` if several threads use it.
  Port(const std::vector<Line>& lines, const Board& board, bool threaded);

  /// Peers are numbers in the group. Both may finish the message at once.
  void start_send(Rank peer, UnderWay& message);
  void start_receive(Rank peer, UnderWay& message);
  /// The short way for messages that may finish at once: no records of them. Neither does anything unless the
  /// message is whole afterwards.
  bool send_now(const Message& message);
  /// Is the message one of a multicast whose bytes are copied once?
  bool is_shown(const Message& message) const {
    return message.bytes >= least_shown && message.multicast.number != 0 &&
           message.bytes <= board_.most_bytes();
  }
  /// The same for the first messages, if they are a whole multicast that is shown: how many they are, or 0.
  std::size_t show_now(std::span<const Message> messages);
  enum class Now { taken, not_here, must_be_started };
  Now take_now(const Message& message);
  /// A message of one of the batch's multicasts goes another way.
  void pass_over(Completions& owner, const Message& message);
  /// Moves whatever can be moved. Throws TruncationError.
  void progress();
  /// Its owner ends while messages are under way, after an error.
  void forget(Completions* owner);

  std::size_t most_granule() const { return peers_.front().out.most_granule(); }

private:
  /// Messages from here on are shown: below, the place's line costs more than the copies that
  /// it saves. The model has the same number (model/step_costs.hpp).
  static constexpr std::size_t least_shown = std::size_t{4} << 10;

  struct Unexpected {
    std::int32_t tag = 0;
    std::size_t done = 0;
    std::vector<std::byte> data;
  };

  struct Peer {
    explicit Peer(const Line& line) : bell(line.bell), out(line.outgoing), in(line.incoming) {}
    void ring() const {
      if (bell != nullptr)
        bell->ring_if_asleep();
    }
    Bell* bell;
    Sender out;
    Receiver in;
    std::deque<UnderWay*> sends;
    std::vector<UnderWay*> receives;   ///< in the order in which they were started
    std::deque<Unexpected> unexpected; ///< in the order in which they came
    UnderWay* filling = nullptr;       ///< what the message at the channel's head goes to,
    bool setting_aside = false;        ///< or it goes to the last of `unexpected`
    bool is_active = false;
    bool is_idle() const { return sends.empty() && receives.empty() && filling == nullptr; }
  };

  std::unique_lock<std::mutex> lock();
  void activate(Rank number);
  void push(Peer& peer);
  bool put(Peer& peer, UnderWay& send);
  enum class Showing { told, waits, given_up };
  Showing show(Peer& peer, UnderWay& send);
  static std::size_t find_shown(Completions& owner, const Multicast& multicast);
  void count_off(Completions& owner, std::size_t shown);
  void pull(Peer& peer);
  void begin_message(Peer& peer, const Cell& cell);
  static void give_back(Peer& peer, const Cell& cell);
  void deliver(Peer& peer, const Cell& cell);
  bool meet_unexpected(Peer& peer, UnderWay& receive);

  std::vector<Peer> peers_;
  std::vector<Rank> active_;
  Board board_;
  std::mutex mutex_;
  bool threaded_;
};

} // namespace thalweg::transport

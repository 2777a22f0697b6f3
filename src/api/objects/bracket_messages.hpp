// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Combined messages of brackets: how they lie in memory, and sending them. Each has a head, and behind it
// groups of calls, each for one rank, with a head of its own. What is for the receiver goes last: it stays
// where it comes, and is run there. What would be longer than a message can be goes as several.

#include "objects/bracket_iterations.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace thalweg::objects {

/// Stands before the groups of a combined message. All lie at multiples of 16 bytes.
struct CombinedHead {
  static constexpr std::uint32_t no_phase = 0xFFFFFFFF; ///< straight to where its groups are for

  std::uint32_t epoch = 0;
  std::uint32_t iteration = 0;
  std::uint32_t phase = 0;
  std::uint32_t messages = 0; ///< of the sender in this phase; 0: this is not its last one
};
static_assert(sizeof(CombinedHead) == 16);

/// The destination of a group of multicasts.
inline constexpr Rank several_ranks = -1;

class BracketMessages {
public:
  /// Sends pieces as one message.
  using Send = std::function<void(Rank to, std::span<const std::span<const char>> pieces)>;

  /// `bytes_max`: of a message. Larger ones are sent where a single call is larger.
  BracketMessages(std::int32_t ranks, Rank rank, std::size_t bytes_max, Send send);

  std::uint32_t epoch() const { return epoch_; }
  /// Of all messages from now on.
  void begin_epoch(std::uint32_t epoch) { epoch_ = epoch; }
  /// So large may a group be that is alone in its message.
  std::size_t group_bytes_max() const;

  /// The iteration's next phase, with all that it keeps for ranks on that way.
  void send_phase(BracketIteration& one, const BracketRoutes& routes);
  /// A group with its head, past all phases.
  void send_straight(std::span<const char> group, Rank destination);
  void send_straight(const MulticastPart& part, std::span<const char> common);
  /// All that the iteration keeps.
  void send_straight(BracketIteration& one);

private:
  struct Departure { ///< in a phase
    Rank next;
    bool has_arrived; ///< it is for that rank
    bool is_several;  ///< multicasts
    KeptGroups::Group* group;
  };
  struct Way {
    Rank next;
    MulticastPart part;
  };

  void gather_departures(BracketIteration& one, const BracketRoutes& routes);
  /// Multicasts to the groups of those who get them next.
  void scatter(BracketIteration& one, const BracketRoutes& routes);
  void send_groups(Rank next, std::span<const Departure> groups, const BracketIteration& one);
  void send(Rank to, std::uint32_t number, std::uint32_t phase, std::uint32_t messages);

  Rank rank_;
  std::size_t bytes_max_;
  Send send_;
  std::uint32_t epoch_ = 0;
  /// Of a phase, or a message, that is sent. The memory is used again.
  std::vector<Departure> departures_;
  KeptGroups scattered_; ///< multicasts, by who gets them next
  KeptMulticasts staying_;
  std::vector<Way> ways_;
  std::vector<MulticastPart> parts_;
  std::vector<std::span<const char>> pieces_;
};

} // namespace thalweg::objects

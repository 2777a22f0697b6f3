// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A rank's part in the brackets of an association: calls that are kept until all elements of the rank have
// ended the iteration, and then go on combined, phase by phase along a virtual mesh (Kumar 2005, section
// 6.2.1).
//
//     begin() call call end()    element a      -- last element's end() --> phase 0: to each rank of the row
//       begin() call end()       element b          all of the row's came --> phase 1: along the column ..
//
// Messages say which iteration they are of: a fast rank's next ones may come before a slow one's last. All
// phases but the last are awaited, so in these a rank that has nothing to send sends an empty message; in
// the last one it sends none. What is for several ranks is copied where their ways part. What would be longer
// than a stream's messages goes as several, the last of which says how many. A rank without elements begins
// an iteration when the first message of it comes.
//
// Nothing may wait for ever. Where no message is left anywhere and brackets are still open, the ranks send
// what is kept straight to where it is for, and a new *epoch* begins: all count iterations from 0 again. It
// does so too whenever all have finished. A message of another epoch is handed on and not counted.

#include "objects/bracket_period.hpp"
#include "objects/bracket_routes.hpp"
#include "objects/kept_groups.hpp"
#include "objects/kept_multicasts.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace thalweg::objects {

class Bracket {
public:
  struct Ports {
    /// Sends pieces as one message, which take() is given there.
    std::function<void(Rank to, std::span<const std::span<const char>> pieces)> send;
    std::function<std::size_t()> elements; ///< of the rank, that end each iteration
    /// Runs a message, a part of which others have too.
    std::function<void(std::span<const char> prefix, std::span<const char> common)> deliver;
    /// Of a message. Larger ones are sent where a single call is larger.
    std::size_t bytes_max = SIZE_MAX;
  };

  Bracket(Combining combining, std::int32_t ranks, Rank rank, Ports ports);

  Combining combining() const { return combining_; }
  /// From now on. Nothing is kept or on its way, on any rank.
  void use(Combining combining);

  /// Place for a message of `bytes` from `element`. Null where it has to go on its own.
  char* deposit(std::uint32_t element, Rank to, std::size_t bytes);
  /// The same for what several ranks' messages have in common. Null where each has to get its own.
  char* deposit(std::uint32_t element, std::span<const MulticastPart> parts, std::size_t bytes);
  /// An element has ended its iteration.
  void end(std::uint32_t element);
  /// What another rank has sent. So many bytes at its end are messages for this rank, one behind the other,
  /// each at a multiple of 16 bytes.
  std::size_t take(const char* combined, std::size_t bytes);

  /// Bytes of messages that are kept.
  std::uint64_t held() const;
  /// A new epoch; what is kept is sent, or dropped. Does nothing where that epoch has begun.
  void begin_epoch(std::uint32_t epoch, bool sends);

  /// What has traveled since the last call. The seconds are the caller's to fill in.
  RankPeriod take_period();

private:
  struct Iteration {
    explicit Iteration(std::int32_t ranks) : kept(ranks) {}
    std::uint32_t number = 0;
    std::size_t ended = 0;            ///< elements
    std::size_t phase = 0;            ///< that is sent next
    std::vector<std::size_t> arrived; // by phase: ranks whose last message has come
    std::vector<std::int64_t>
        outstanding; // by phase: messages that these have announced, less those that came
    KeptGroups kept;
    KeptMulticasts several;
  };
  struct Leaving { // in a phase
    Rank next;
    bool has_arrived; // it is for that rank
    bool is_several;  // multicasts
    KeptGroups::Group* group;
  };

  Iteration& iteration(std::uint32_t number);
  void close(Iteration& one);
  void go_on(Iteration& one);
  void send_phase(Iteration& one);
  /// Multicasts to the groups of those who get them next.
  void scatter(Iteration& one);
  void take_several(std::span<const char> all, Iteration* counted);
  void note_call(Rank to, std::uint32_t iteration);
  void send_groups(Rank next, std::span<const Leaving> groups, const Iteration& one);
  void send(Rank to, std::uint32_t number, std::uint32_t phase, std::uint32_t messages);
  void send_straight(std::span<const char> group, Rank destination);
  void send_straight(const MulticastPart& part, std::span<const char> common);
  std::uint32_t& ended_of(std::uint32_t element);
  std::size_t group_bytes_max() const;

  Combining combining_;
  std::int32_t ranks_;
  Rank rank_;
  Ports ports_;
  BracketRoutes routes_;
  std::uint32_t epoch_ = 0;
  std::unordered_map<std::uint32_t, std::uint32_t> ended_; // iterations, by element
  std::vector<std::unique_ptr<Iteration>> open_;           // few
  std::vector<std::unique_ptr<Iteration>> spare_;          // that were closed
  // Who has deposited last, and where.
  std::uint32_t* last_ended_ = nullptr; // null: not known any more
  std::uint32_t last_element_ = 0;
  Iteration* last_ = nullptr;
  // Of a message that is sent.
  std::vector<Leaving> leaving_;
  KeptGroups scattered_; // multicasts, by who gets them next
  KeptMulticasts staying_;
  struct Way {
    Rank next;
    MulticastPart part;
  };
  std::vector<Way> ways_;
  std::vector<MulticastPart> parts_;
  std::vector<std::span<const char>> pieces_;
  // Of the period.
  RankPeriod period_;
  std::vector<std::uint32_t> met_; // by rank: iterations in which it was called
};

} // namespace thalweg::objects

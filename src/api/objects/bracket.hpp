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

#include "objects/bracket_iterations.hpp"
#include "objects/bracket_messages.hpp"
#include "objects/bracket_traffic.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace thalweg::objects {

class Bracket {
public:
  struct Ports {
    BracketMessages::Send send;            ///< one message, which take() is given there
    std::function<std::size_t()> elements; ///< of the rank, that end each iteration
    /// Runs a message, a part of which others have too.
    std::function<void(std::span<const char> prefix, std::span<const char> common)> deliver;
    /// Of a message. Larger ones are sent where a single call is larger.
    std::size_t bytes_max = SIZE_MAX;
  };

  Bracket(BracketStrategy combining, std::int32_t ranks, Rank rank, Ports ports);

  BracketStrategy combining() const { return combining_; }
  /// From now on. Nothing is kept or on its way, on any rank.
  void use(BracketStrategy combining);

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
  std::uint64_t held() const { return iterations_.kept_bytes(); }
  /// A new epoch; what is kept is sent, or dropped. Does nothing where that epoch has begun.
  void begin_epoch(std::uint32_t epoch, bool sends);

  /// What has traveled since the last call. The seconds are the caller's to fill in.
  RankPeriod take_period() { return traffic_.take(ports_.elements()); }

private:
  /// Sends the phases of which this rank and the others have done their part.
  void go_on(BracketIteration& one);
  /// A group that is not for this rank. Null: it is not counted, and goes straight.
  void hand_on(std::span<const char> group, const GroupHead& head, BracketIteration* counted);
  /// The same of multicasts, of which this rank's parts are run.
  void hand_on_multicasts(std::span<const char> all, BracketIteration* counted);

  BracketStrategy combining_;
  std::int32_t ranks_;
  Rank rank_;
  Ports ports_;
  BracketRoutes routes_;
  BracketIterations iterations_;
  BracketMessages messages_;
  BracketTraffic traffic_;
  std::vector<MulticastPart> parts_; ///< of a multicast that is handed on
};

} // namespace thalweg::objects

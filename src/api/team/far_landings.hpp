// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which operations on the memory of others have landed there: each rank numbers those that it sends to
// another one, and hears up to which number all have landed. Owners of memory may wait with such reports, as
// whatever they send next tells it as well: `due` says whom they have to tell.

#include "base/rank.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace thalweg::teams {

/// Of a far operation that somebody may wait for.
struct FarOperation {
  bool has_finished = false;
};
using FarOperationPointer = std::shared_ptr<FarOperation>;

class FarLandings {
public:
  // --- of what this rank sends ---

  /// The next operation's number at `to`, of so many bytes. `is_long`: later ones may land before it.
  std::uint64_t number(Rank to, std::size_t bytes, bool is_long);
  /// Finishes when the last one that was numbered there has landed.
  FarOperationPointer await_last(Rank to);
  /// Is there room for one more, before some have landed?
  bool has_room(Rank to) const;
  bool have_all() const { return unlanded_ == 0; }
  bool have_long_ones() const;
  /// The last one's owner will tell.
  void note_asked(Rank to) { outgoing_[to].asked = outgoing_[to].sent; }
  /// Ranks that nobody has asked yet for what has not landed, with its last number. They count as asked.
  std::vector<std::pair<Rank, std::uint64_t>> ask();
  /// The owner says that those up to `number` have landed.
  void hear(Rank owner, std::uint64_t number);

  // --- of what comes here ---

  /// An operation's head has come.
  void begin(Rank from, std::uint64_t number);
  void land(Rank from, std::uint64_t number);
  /// `from` waits to hear of those up to this one.
  void want(Rank from, std::uint64_t number);
  /// What to tell a rank now: it counts as told.
  std::uint64_t report(Rank to);
  bool has_unreported() const { return !to_report_.empty(); }
  /// Whom to tell by itself: those that wait to hear, or all if `has_time`.
  std::vector<Rank> due(bool has_time);

private:
  struct Outgoing {
    std::uint64_t sent = 0;
    std::uint64_t landed = 0;
    std::uint64_t last_long = 0;
    std::uint64_t asked = 0;
    std::size_t waiting_bytes = 0;                                     ///< of short ones that have not landed
    std::deque<std::pair<std::uint64_t, std::size_t>> waiting;         ///< their numbers and bytes
    std::deque<std::pair<std::uint64_t, FarOperationPointer>> awaited; ///< by number
  };
  struct Incoming {
    std::uint64_t come = 0;
    std::uint64_t reported = 0;
    std::uint64_t wanted = 0;
    std::set<std::uint64_t> pending; ///< they have begun
    std::uint64_t landed() const { return pending.empty() ? come : *pending.begin() - 1; }
  };

  void note_unreported(Rank rank);

  std::map<Rank, Outgoing> outgoing_;
  std::map<Rank, Incoming> incoming_;
  std::vector<Rank> to_report_;
  std::uint64_t unlanded_ = 0;
};

} // namespace thalweg::teams

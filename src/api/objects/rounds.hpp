// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How the ranks learn that no message is left: none in a queue, and none on its way. Each rank that has
// nothing to run tells how many messages it has sent to others and taken in. Sums go up a tree of the ranks,
// and down goes whether there is another round. It is over when two rounds after one another have the same
// sums, of as many sent as taken in (Mattern 1987, the four counter method).
//
// A rank reports when it has nothing to run. So rounds cost little while others compute.

#include "base/rank.hpp"

#include <cstdint>
#include <vector>

namespace thalweg::objects {

struct Counts {
  std::uint64_t sent = 0;
  std::uint64_t taken = 0;
  std::uint64_t held = 0; ///< bytes of messages that wait in brackets
  friend bool operator==(const Counts&, const Counts&) = default;
};

/// What all ranks are told at the end of a round. `release`: nothing is on its way, but messages are held in
/// brackets that others wait for in vain: all are sent.
enum class Verdict : std::uint32_t { again, quiet, release };

class Rounds {
public:
  static constexpr std::int32_t arity = 4; ///< of the tree

  Rounds(Rank rank, std::int32_t ranks);

  bool is_root() const { return rank_ == 0; }
  Rank parent() const { return (rank_ - 1) / arity; }
  const std::vector<Rank>& children() const { return children_; }

  /// A child's sums, maybe before this rank looks for quiescence itself.
  void child_reports(const Counts& counts);
  /// This rank may say what it knows: all children have.
  bool may_report() const { return !has_reported_ && reports_ == children_.size(); }
  /// The sums of this rank and of those below it, for the parent. At the root: for judge().
  Counts report(const Counts& own);
  /// At the root.
  Verdict judge(const Counts& sums);
  /// The verdict has come: the next round begins.
  void next() { has_reported_ = false; }

private:
  Rank rank_;
  std::vector<Rank> children_;
  std::size_t reports_ = 0; ///< of children
  Counts below_;
  bool has_reported_ = false;
  bool has_before_ = false;
  Counts before_; ///< the sums of the round before
};

} // namespace thalweg::objects

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A host's cards as its ranks see them, and how ranks wait for them.

#include "nic/inbox.h"
#include "wait/policy.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace thalweg::nic {

/// What ends a rank's wait for its card.
class WaitTarget {
public:
  WaitTarget() = default;
  WaitTarget(const WaitTarget&) = delete;
  WaitTarget& operator=(const WaitTarget&) = delete;
  virtual ~WaitTarget() = default;

  /// Sleeps until something may have come, at most so long; not if `has_come`, which is asked once all that
  /// comes later wakes.
  virtual void sleep_unless(const std::function<bool()>& has_come, std::uint32_t longest_us) = 0;
  /// Why nothing ever will, as its agent is gone; empty while it may.
  virtual std::string loss() = 0;
};

/// What a rank of a group looks at. Epochs are the group's operations, counted from 1.
class Ends : public WaitTarget {
public:
  /// Has it ended for this rank? Does not wait.
  virtual bool has_ended(std::uint32_t epoch) = 0;
  /// No rank of the group needs it any more, on any host.
  virtual void dissolve() {}
};

/// A host's card that gathers, as one of its ranks sees it: an epoch has ended when all ranks have arrived.
class Card : public Ends {
public:
  /// Says that the rank has arrived, with its words; again, where that may have been lost. False where it did
  /// not even leave.
  virtual bool start(std::uint32_t epoch, const thalweg_nic_content& own) = 0;
  /// Fills in the words of an epoch that has ended, as many as `result` says, and who came last.
  virtual void read(std::uint32_t epoch, thalweg_nic_content& result) = 0;
};

/// A host's card that relays broadcasts, as one of its ranks sees it: an epoch has ended when the card has
/// the whole message.
class RelayCard : public Ends {
public:
  /// This rank comes to a call that may not have ended.
  virtual void enter(std::uint32_t epoch) = 0;
  /// Has the card room for the root's message?
  virtual bool has_room(std::uint32_t epoch) = 0;
  /// Gives it the root's message, as far as it takes it; again, where some may have been held back.
  virtual void put(std::uint32_t epoch, std::span<const std::byte> message) = 0;
  /// Has the card ask for what is missing, or for room, as that may have been lost.
  virtual void ask(std::uint32_t epoch) = 0;
  /// Fills in the message of an epoch that has ended, as much as there is room for; this rank needs it no
  /// more.
  virtual void take(std::uint32_t epoch, std::span<std::byte> message) = 0;
};

/// A host's card that matches messages, as one rank sees it. Ranks are those of the group, from 0 on.
class InboxCard : public WaitTarget {
public:
  /// Gives it a message of `bytes`, its channel's `sequence`-th from 0 on; again, where that may have been
  /// lost. `carried`: all of it, or nothing where it comes another way.
  virtual void send(std::uint32_t to, std::uint32_t sequence, std::uint32_t tag, std::uint32_t bytes,
                    std::span<const std::byte> carried) = 0;
  /// How far the channel to a rank is (thalweg_nic_credit).
  virtual std::uint64_t credit(std::uint32_t to) = 0;
  /// Posts this rank's `number`-th receive, from 1 on; again, where that may have been lost.
  virtual void post(std::uint32_t number, std::uint32_t source, std::uint32_t tag) = 0;
  /// Has it got a message? Does not wait.
  virtual bool has_matched(std::uint32_t number, thalweg_nic_match& match) = 0;
  /// Copies what the message carried, as much as there is room for; its cell is free then.
  virtual void take(const thalweg_nic_match& match, std::span<std::byte> message) = 0;
};

/// Until something is said again, as it may be lost: longer each time.
struct Patience {
  std::uint64_t length_ns = 0;
  std::uint64_t due_ns = 0; ///< 0: not known before the first look in vain

  /// Asked with each look in vain. True each time that it has ended; then it begins anew.
  bool is_over();
};

/// Throws Error where the card is lost.
void throw_if_lost(WaitTarget& card);

/// Waits until `look` is true: polls, yields for a short while, and then sleeps until the card wakes it.
/// `has_come` says whether a look is worth it.
void wait_on(WaitTarget& card, const wait::Policy& policy, const std::function<bool()>& look,
             const std::function<bool()>& has_come);

} // namespace thalweg::nic

#pragma once

#include "nic/protocol.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace thalweg::nic {

/// What a rank of a group looks at. Epochs are the group's operations, counted from 1.
class Ends {
public:
  Ends() = default;
  Ends(const Ends&) = delete;
  Ends& operator=(const Ends&) = delete;
  virtual ~Ends() = default;

  /// Has it ended for this rank? Does not wait.
  virtual bool has_ended(std::uint32_t epoch) = 0;
  /// Sleeps until something may have ended, at most so long; not if `has_come`, which is asked once all that
  /// ends later wakes.
  virtual void sleep_unless(const std::function<bool()>& has_come, std::uint32_t longest_us) = 0;
  /// Why it never will, as its agent is gone; empty while it may.
  virtual std::string loss() = 0;
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

} // namespace thalweg::nic

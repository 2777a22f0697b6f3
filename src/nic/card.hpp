#pragma once

#include "nic/protocol.h"

#include <cstdint>
#include <functional>
#include <string>

namespace thalweg::nic {

/// A host's card, as one of its ranks sees it. Epochs are the group's operations, counted from 1.
class Card {
public:
  Card() = default;
  Card(const Card&) = delete;
  Card& operator=(const Card&) = delete;
  virtual ~Card() = default;

  /// Says that the rank has arrived, with its words; again, where that may have been lost. False where it did
  /// not even leave.
  virtual bool start(std::uint32_t epoch, const thalweg_nic_content& own) = 0;
  /// Have all ranks arrived? Does not wait.
  virtual bool has_ended(std::uint32_t epoch) = 0;
  /// Fills in the words of an epoch that has ended, as many as `result` says.
  virtual void read(std::uint32_t epoch, thalweg_nic_content& result) = 0;
  /// Sleeps until something may have ended, at most so long; not if `has_come`, which is asked once all that
  /// ends later wakes.
  virtual void sleep_unless(const std::function<bool()>& has_come, std::uint32_t longest_us) = 0;
  /// Why it never will, as its agent is gone; empty while it may.
  virtual std::string loss() = 0;
};

} // namespace thalweg::nic

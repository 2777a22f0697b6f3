#pragma once

#include <cstdint>
#include <string>

namespace thalweg::nic {

/// A host's card, as one of its ranks sees it. Epochs are the group's barriers, counted from 1.
class Card {
public:
  Card() = default;
  Card(const Card&) = delete;
  Card& operator=(const Card&) = delete;
  virtual ~Card() = default;

  /// Says that the rank has arrived; again, where that may have been lost.
  virtual void start(std::uint32_t epoch) = 0;
  /// Have all ranks arrived? Does not wait.
  virtual bool has_ended(std::uint32_t epoch) = 0;
  /// Why it never will, as its agent is gone; empty while it may.
  virtual std::string loss() = 0;
};

} // namespace thalweg::nic

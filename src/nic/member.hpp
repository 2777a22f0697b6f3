#pragma once

// A rank in a group: counts its barriers, waits for their ends, and starts again what seems to be lost.

#include "nic/card.hpp"
#include "wait/policy.hpp"

#include <memory>

namespace thalweg::nic {

class Member {
public:
  explicit Member(std::unique_ptr<Card> card) : card_(std::move(card)) {}

  /// Returns when all ranks of the group have called it as often. Throws Error where the card is lost.
  void barrier(const wait::Policy& policy);

private:
  std::unique_ptr<Card> card_;
  std::uint32_t epoch_ = 0;
};

} // namespace thalweg::nic

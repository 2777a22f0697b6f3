#pragma once

// A rank in a group: counts its operations, waits for their ends, and starts again what seems to be lost.

#include "nic/card.hpp"
#include "nic/waiting.hpp"
#include "wait/policy.hpp"

#include <array>
#include <atomic>
#include <memory>

namespace thalweg::nic {

/// One of a member's operations, from its beginning until its end was seen. No words make a barrier.
struct Underway {
  thalweg_nic_content content{}; ///< what this rank brings; the result in the end
  std::uint32_t epoch = 0;       ///< its number among the group's operations, from 1 on
  bool is_started = false;
  Patience patience{}; ///< before it is started again
};

/// All members of a group have the same operations with the same numbers, each with the same arithmetic and
/// as many words. They need not begin them in order, but begin all. A group has a window of them under way at
/// most; those that are begun beyond it start when earlier ones have been seen to end. Threads may look at
/// different operations at once.
class Member {
public:
  explicit Member(std::unique_ptr<Card> card);

  /// Starts the operation, if it may already.
  void start(Underway& operation);
  /// Has it ended? Then its content is the result. Starts it first, as soon as it may. Does not wait, and is
  /// not called again after the end. Throws Error where the card is lost.
  bool look(Underway& operation);
  /// Nobody wants this rank's result. True once the operation goes on without this rank.
  bool leave(Underway& operation);
  /// Waits for the end.
  void run(Underway& operation, const wait::Policy& policy);

private:
  bool may_start(std::uint32_t epoch);
  void start_again(Underway& operation);

  std::unique_ptr<Card> card_;
  // By place in the window: the last epoch whose result was taken, or was left for nobody.
  std::array<std::atomic<std::uint32_t>, THALWEG_NIC_WINDOW> taken_;
  std::array<std::atomic<std::uint32_t>, THALWEG_NIC_WINDOW> left_{};
};

} // namespace thalweg::nic

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A rank in a group: counts its operations, waits for their ends, and starts again what seems to be lost.

#include "nic/card.hpp"
#include "nic/waiting.hpp"
#include "nic/window.hpp"
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

/// What a member that is frozen knows of an epoch: what came out; what this rank brought, where it has left;
/// nothing, as this rank has not been there or is still waiting; or that all ranks are done with it.
enum class Known : std::uint8_t { nothing, contribution, result, past };

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
  /// not called again after the end. Throws Error where a rank that is waited for is gone.
  bool look(Underway& operation);
  /// Nobody wants this rank's result. True once the operation goes on without this rank.
  bool leave(Underway& operation);
  /// Waits for the end. False where the member was frozen before.
  bool run(Underway& operation, const wait::Policy& policy);

  /// Why the card ends nothing more; empty while it may. Throws Error where a rank is gone.
  std::string loss() { return card_->loss(); }
  /// The devices are given up: nothing is started from now on, and no other end is seen than those that the
  /// card has now. What is under way goes on by other means.
  void freeze();
  /// Frozen, by all ranks of the group, and nobody needs anything more.
  void dissolve() { card_->dissolve(); }
  /// Frozen: the last epochs, by place, that need nothing more for this rank; and what it knows of one.
  WindowEpochs satisfied() const { return window_.satisfied(); }
  Known known_of(std::uint32_t epoch, thalweg_nic_content& content);

private:
  // What this rank brought to the last epoch at a place that it has left.
  struct Left {
    std::atomic<std::uint32_t> epoch = 0;
    thalweg_nic_content content{};
  };

  bool may_start(std::uint32_t epoch);
  bool has_ended(std::uint32_t epoch);
  void start_again(Underway& operation);

  std::unique_ptr<Card> card_;
  Window window_;
  std::array<Left, THALWEG_NIC_WINDOW> left_{};
};

} // namespace thalweg::nic

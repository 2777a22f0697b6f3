// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A rank in a group: counts its operations, waits for their ends, and starts again what seems to be lost. Of
// a group for broadcasts, gives its card the message, or takes it from there.

#include "base/assertion.hpp"
#include "nic/card.hpp"
#include "nic/protocol.h"
#include "wait/policy.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace thalweg::nic {

/// How far a rank is with its group's epochs, by place in the window: of each place one epoch.
using WindowEpochs = std::array<std::uint32_t, THALWEG_NIC_WINDOW>;

/// The places of a new group: as if all epochs before the first had been.
inline WindowEpochs epochs_before_first() {
  WindowEpochs epochs{};
  for (std::uint32_t epoch = 1; epoch <= THALWEG_NIC_WINDOW; ++epoch)
    epochs[epoch % THALWEG_NIC_WINDOW] = epoch - THALWEG_NIC_WINDOW;
  return epochs;
}

inline std::uint32_t later_of(std::uint32_t a, std::uint32_t b) {
  return thalweg_nic_later(a, b) != 0 ? a : b;
}

/// The last epochs that a rank is done with, and what it holds to where the devices are lost amid them.
/// Threads may look and take while one freezes it.
class Window {
public:
  Window() {
    const WindowEpochs before = epochs_before_first();
    for (std::uint32_t place = 0; place < THALWEG_NIC_WINDOW; ++place)
      taken_[place].store(before[place], std::memory_order_relaxed);
  }

  std::uint32_t last(std::uint32_t epoch) const {
    return taken_[epoch % THALWEG_NIC_WINDOW].load(std::memory_order_acquire);
  }
  /// The rank has the result of that epoch, or needs none.
  void take(std::uint32_t epoch) {
    THALWEG_ASSERT(normal, thalweg_nic_later(epoch, last(epoch)) != 0); // a place only goes on
    taken_[epoch % THALWEG_NIC_WINDOW].store(epoch, std::memory_order_release);
  }

  /// From now on only those ends count that `has_ended` knows. They are kept: who looks later may see more.
  void freeze(const std::function<bool(std::uint32_t)>& has_ended);
  bool is_frozen() const { return is_frozen_.load(std::memory_order_seq_cst); }
  /// Asked behind a look at the card that saw the end of that epoch: does it count?
  bool counts(std::uint32_t epoch) const { return !is_frozen() || is_held(epoch); }
  /// Frozen: the card has ended that epoch, and still has what came out.
  bool is_held(std::uint32_t epoch) const {
    return are_ends_known_.load(std::memory_order_acquire) && ends_[epoch % THALWEG_NIC_WINDOW] == epoch;
  }
  /// Frozen: the last epochs that need nothing more for this rank.
  WindowEpochs satisfied() const;

private:
  std::array<std::atomic<std::uint32_t>, THALWEG_NIC_WINDOW> taken_;
  std::atomic<bool> is_frozen_ = false;
  std::atomic<bool> are_ends_known_ = false;
  WindowEpochs ends_ = epochs_before_first();
};

/// One of a member's operations, from its beginning until its end was seen. No words make a barrier.
struct MemberOperation {
  thalweg_nic_content content{}; ///< what this rank brings; the result in the end
  std::uint32_t epoch = 0;       ///< its number among the group's operations, from 1 on
  bool is_started = false;
  Patience patience{}; ///< before it is started again
};

/// What a member that is frozen knows of an epoch: what came out; what this rank brought, where it has left;
/// nothing, as this rank has not been there or is still waiting; or that all ranks are done with it.
enum class Knowledge : std::uint8_t { nothing, contribution, result, past };

/// All members of a group have the same operations with the same numbers, each with the same arithmetic and
/// as many words. They need not begin them in order, but begin all. A group has a window of them under way at
/// most; those that are begun beyond it start when earlier ones have been seen to end. Threads may look at
/// different operations at once.
class Member {
public:
  explicit Member(std::unique_ptr<Card> card);

  /// Starts the operation, if it may already.
  void start(MemberOperation& operation);
  /// Has it ended? Then its content is the result. Starts it first, as soon as it may. Does not wait, and is
  /// not called again after the end. Throws Error where a rank that is waited for is gone.
  bool look(MemberOperation& operation);
  /// Nobody wants this rank's result. True once the operation goes on without this rank.
  bool leave(MemberOperation& operation);
  /// Waits for the end. False where the member was frozen before.
  bool run(MemberOperation& operation, const wait::Policy& policy);

  /// Why the card ends nothing more; empty while it may. Throws Error where a rank is gone.
  std::string loss() { return card_->loss(); }
  /// The devices are given up: nothing is started from now on, and no other end is seen than those that the
  /// card has now. What is under way goes on by other means.
  void freeze();
  /// Frozen, by all ranks of the group, and nobody needs anything more.
  void dissolve() { card_->dissolve(); }
  /// Frozen: the last epochs, by place, that need nothing more for this rank; and what it knows of one.
  WindowEpochs satisfied() const { return window_.satisfied(); }
  Knowledge known_of(std::uint32_t epoch, thalweg_nic_content& content);

private:
  /// What this rank brought to the last epoch at a place that it has left.
  struct Contribution {
    std::atomic<std::uint32_t> epoch = 0;
    thalweg_nic_content content{};
  };

  bool may_start(std::uint32_t epoch);
  bool has_ended(std::uint32_t epoch);
  void start_again(MemberOperation& operation);

  std::unique_ptr<Card> card_;
  Window window_;
  std::array<Contribution, THALWEG_NIC_WINDOW> left_{};
};

/// One of a member's broadcasts, from its beginning until its end was seen.
struct MemberBroadcast {
  std::span<std::byte> message{}; ///< the root's, or where it goes; the same length on all ranks, not 0
  std::uint32_t epoch = 0;        ///< its number among the group's operations, from 1 on
  bool is_started = false;
  Patience patience{}; ///< before it is asked for again
};

/// All members of a group have the same broadcasts with the same numbers. They need not begin them in order,
/// but begin all. The root is done when its card has the message, and the others when they have taken it from
/// theirs. Threads may look at different broadcasts at once.
class RelayMember {
public:
  /// `levels`: of cards, one above the other. The root keeps what the farthest rank may not have got.
  RelayMember(std::unique_ptr<RelayCard> card, bool is_root, std::uint32_t levels);

  /// Begins it; may be left out.
  void start(MemberBroadcast& broadcast);
  /// Is it done? Does not wait, and is not called again afterwards. Throws Error where a rank is gone.
  bool look(MemberBroadcast& broadcast);
  /// Waits until it is. False where the member was frozen before.
  bool run(MemberBroadcast& broadcast, const wait::Policy& policy);

  /// As of a member that gathers.
  std::string loss() { return card_->loss(); }
  void freeze();
  void dissolve() { card_->dissolve(); }
  WindowEpochs satisfied() const { return window_.satisfied(); }
  bool is_root() const { return is_root_; }
  /// Of the root: a message that it gave its card; none where it has not, or all ranks have taken it long
  /// ago.
  std::span<std::byte> kept(std::uint32_t epoch);

private:
  struct Kept {
    std::atomic<std::uint32_t> epoch = 0; ///< set last
    std::vector<std::byte> message{};
  };

  void start_again(MemberBroadcast& broadcast);

  std::unique_ptr<RelayCard> card_;
  bool is_root_;
  Window window_;
  std::vector<Kept> kept_; ///< by epoch
};

} // namespace thalweg::nic

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A rank in a group for broadcasts: gives its card the message, or takes it from there, and asks again for
// what seems to be lost.

#include "nic/card.hpp"
#include "nic/waiting.hpp"
#include "nic/window.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace thalweg::nic {

/// One of a member's broadcasts, from its beginning until its end was seen.
struct Relayed {
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
  void start(Relayed& broadcast);
  /// Is it done? Does not wait, and is not called again afterwards. Throws Error where a rank is gone.
  bool look(Relayed& broadcast);
  /// Waits until it is. False where the member was frozen before.
  bool run(Relayed& broadcast, const wait::Policy& policy);

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
    std::atomic<std::uint32_t> epoch = 0; // set last
    std::vector<std::byte> message{};
  };

  void start_again(Relayed& broadcast);

  std::unique_ptr<RelayCard> card_;
  bool is_root_;
  Window window_;
  std::vector<Kept> kept_; // by epoch
};

} // namespace thalweg::nic

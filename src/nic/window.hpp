// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How far a rank is with its group's epochs, by place in the window; and what it holds to where the devices
// are lost amid them.

#include "nic/protocol.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>

namespace thalweg::nic {

/// Of each place in the window one epoch.
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

/// The last epochs that a rank is done with. Threads may look and take while one freezes it.
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

} // namespace thalweg::nic

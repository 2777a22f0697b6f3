// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// With which blocking call ranks go over to the network cards.
//
// On the world, the first blocking call waits until it is known whether there is a group. Programs make other
// communicators for a few calls, so there the first calls are our engine's, and those after them too while
// the group is made. Then ranks tell each other how far they are, and go over with a call that none can have
// come to.

#include <atomic>
#include <cstdint>

namespace thalweg::mpi {

class NicTurn {
public:
  /// Agents take as long to make a group as some hundred calls gain.
  static constexpr std::uint32_t calls_before_group = 128;
  static constexpr std::uint32_t calls_while_changing = 16;

  /// `is_awaited`: by the first blocking call.
  explicit NicTurn(bool is_awaited) : is_awaited_(is_awaited) {}

  bool is_awaited() const { return is_awaited_; }

  /// A blocking call begins. True for the one with which the group is to be made, if it is not yet.
  bool begin_call() {
    return calls_.fetch_add(1, std::memory_order_seq_cst) + 1 == calls_before_group && !is_awaited_;
  }

  /// Promises how far this rank goes alone, and gives how many calls it has begun: to be told to all. A call
  /// may have begun just now, before it is promised; no more than that one.
  std::uint32_t promise() {
    const std::uint32_t calls = calls_.load(std::memory_order_seq_cst);
    last_alone_.store(calls + calls_while_changing, std::memory_order_seq_cst);
    return calls;
  }
  /// All ranks' numbers are known: `largest` of them.
  void change_behind(std::uint32_t largest) {
    last_on_engine_.store(largest + calls_while_changing, std::memory_order_relaxed);
  }

  /// Is the call that runs the engine's, while it is not known whether there is a group? False: it waits.
  bool goes_alone() const {
    return !is_awaited_ &&
           calls_.load(std::memory_order_relaxed) <= last_alone_.load(std::memory_order_seq_cst);
  }
  /// Is it the cards', now that there is one?
  bool has_come() const {
    return calls_.load(std::memory_order_relaxed) > last_on_engine_.load(std::memory_order_relaxed);
  }

private:
  bool is_awaited_;
  std::atomic<std::uint32_t> calls_ = 0; ///< blocking ones, on whatever
  /// The last one that may be our engine's while it is not known which is the last that is.
  std::atomic<std::uint32_t> last_alone_ = ~0U;
  std::atomic<std::uint32_t> last_on_engine_ = 0;
};

} // namespace thalweg::mpi

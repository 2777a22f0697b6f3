// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How a rank that sleeps is woken by those who send it something, or take what it sent: a word in shared
// memory that the kernel can wait on (futex).
//
// The sleeper says that it sleeps, looks once more, and sleeps until the word changes; the others write what
// they have, then look whether somebody sleeps. Both write before they read, in one order that all see, so
// that at least one of them sees the other (Dekker).

#include <atomic>
#include <cstdint>

namespace thalweg::transport {

struct alignas(64) Doorbell {
  std::atomic<std::uint32_t> wake_ups;
  std::atomic<std::uint32_t> sleepers;

  /// To be called after something was written for the doorbell's owner.
  void wake_if_asleep() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (sleepers.load(std::memory_order_relaxed) != 0) [[unlikely]]
      wake();
  }

  /// Not 0 while the owner sleeps: for programs that inline a look at it.
  const std::uint32_t* sleepers_word() const { return reinterpret_cast<const std::uint32_t*>(&sleepers); }

  /// Sleeps until woken, or for so long, unless `poll` finds something first.
  template <typename Poll>
  bool sleep_unless(Poll poll, std::uint32_t max_us) {
    sleepers.fetch_add(1, std::memory_order_seq_cst);
    const std::uint32_t seen = wake_ups.load(std::memory_order_seq_cst);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    const bool found = poll();
    if (!found)
      wait(seen, max_us);
    sleepers.fetch_sub(1, std::memory_order_seq_cst);
    return found;
  }

private:
  void wake();
  void wait(std::uint32_t seen, std::uint32_t max_us);
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free && sizeof(std::atomic<std::uint32_t>) == 4,
              "the kernel looks at it");

} // namespace thalweg::transport

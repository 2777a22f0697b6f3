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

struct alignas(64) Bell {
  std::atomic<std::uint32_t> rings;
  std::atomic<std::uint32_t> sleepers;

  /// To be called after something was written for the bell's owner.
  void ring_if_asleep() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (sleepers.load(std::memory_order_relaxed) != 0) [[unlikely]]
      ring();
  }

  /// Sleeps until rung, or for so long, unless `look` finds something first.
  template <typename Look>
  bool sleep_unless(Look look, std::uint32_t most_us) {
    sleepers.fetch_add(1, std::memory_order_seq_cst);
    const std::uint32_t heard = rings.load(std::memory_order_seq_cst);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    const bool found = look();
    if (!found)
      wait(heard, most_us);
    sleepers.fetch_sub(1, std::memory_order_seq_cst);
    return found;
  }

private:
  void ring();
  void wait(std::uint32_t heard, std::uint32_t most_us);
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free && sizeof(std::atomic<std::uint32_t>) == 4,
              "the kernel looks at it");

} // namespace thalweg::transport

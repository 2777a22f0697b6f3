// SPDX-License-Identifier: BSD-3-Clause
#include "nic/window.hpp"

namespace thalweg::nic {

// Whoever saw an end before this was frozen saw it before the looks here, which see it too. At a place, no
// epoch starts before the end of the one before is known: so there is none behind the next one.
void Window::freeze(const std::function<bool(std::uint32_t)>& has_ended) {
  is_frozen_.store(true, std::memory_order_seq_cst);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  for (std::uint32_t place = 0; place < THALWEG_NIC_WINDOW; ++place) {
    const std::uint32_t taken = taken_[place].load(std::memory_order_acquire);
    for (const std::uint32_t epoch : {taken, taken + THALWEG_NIC_WINDOW})
      if (has_ended(epoch))
        ends_[place] = epoch;
  }
  are_ends_known_.store(true, std::memory_order_release);
}

WindowEpochs Window::satisfied() const {
  WindowEpochs found{};
  for (std::uint32_t place = 0; place < THALWEG_NIC_WINDOW; ++place)
    found[place] = later_of(ends_[place], taken_[place].load(std::memory_order_acquire));
  return found;
}

} // namespace thalweg::nic

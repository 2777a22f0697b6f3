// SPDX-License-Identifier: BSD-3-Clause
#include "transport/shm/doorbell.hpp"

#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace thalweg::transport {

void Doorbell::wake() {
  wake_ups.fetch_add(1, std::memory_order_seq_cst);
  ::syscall(SYS_futex, &wake_ups, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void Doorbell::wait(std::uint32_t seen, std::uint32_t max_us) {
  const timespec time{static_cast<time_t>(max_us / 1'000'000U),
                      static_cast<long>(max_us % 1'000'000U) * 1000};
  // Returns at once if it was woken meanwhile; that it returns early for other reasons does no harm.
  ::syscall(SYS_futex, &wake_ups, FUTEX_WAIT, seen, &time, nullptr, 0);
}

} // namespace thalweg::transport

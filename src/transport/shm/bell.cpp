#include "transport/shm/bell.hpp"

#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace thalweg::transport {

void Bell::ring() {
  rings.fetch_add(1, std::memory_order_seq_cst);
  ::syscall(SYS_futex, &rings, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void Bell::wait(std::uint32_t heard, std::uint32_t most_us) {
  const timespec time{static_cast<time_t>(most_us / 1'000'000U),
                      static_cast<long>(most_us % 1'000'000U) * 1000};
  // Returns at once if it was rung meanwhile; that it returns early for other reasons does no harm.
  ::syscall(SYS_futex, &rings, FUTEX_WAIT, heard, &time, nullptr, 0);
}

} // namespace thalweg::transport

// SPDX-License-Identifier: BSD-3-Clause
#include "transport/shm/arena.hpp"

#include "base/assertion.hpp"
#include "transport/shm/cache_line.hpp"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>
#include <sys/resource.h>

namespace thalweg::transport {

namespace {

constexpr std::size_t page_bytes = 4096;

constexpr std::size_t whole_pages(std::size_t bytes) {
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

} // namespace

/// Of zeros, as the segment has them: a part that nobody has.
struct alignas(cache_line) Arena::PartUse {
  std::atomic<std::int32_t> users; ///< of the group that has it
  std::atomic<std::int32_t> gone;  ///< of these
};

// Pages that nobody has used take no memory, only addresses. Where these are limited, they are the program's.
std::size_t Arena::usual_parts(std::size_t part_bytes) {
  rlimit given{};
  if (::getrlimit(RLIMIT_AS, &given) != 0 || given.rlim_cur != RLIM_INFINITY)
    return 1;
  constexpr std::size_t addresses = std::size_t{512} << 20;
  constexpr std::size_t limit = page_bytes / sizeof(PartUse);
  return std::clamp(addresses / std::max(part_bytes, page_bytes), std::size_t{1}, limit);
}

std::size_t Arena::bytes_for(std::size_t part_bytes, std::size_t parts) {
  return whole_pages(parts * sizeof(PartUse)) + parts * whole_pages(part_bytes);
}

std::shared_ptr<Arena> Arena::of(std::shared_ptr<Segment> segment, std::size_t part_bytes,
                                 std::int32_t processes) {
  return std::shared_ptr<Arena>(new Arena(std::move(segment), whole_pages(part_bytes), processes));
}

// Part 0 is not free again before all processes have been here, so all write the same.
Arena::Arena(std::shared_ptr<Segment> segment, std::size_t part_bytes, std::int32_t processes)
    : segment_(std::move(segment)), part_bytes_(part_bytes),
      parts_(static_cast<std::uint32_t>(segment_->bytes() / part_bytes)), processes_(processes) {
  while (bytes_for(part_bytes_, parts_) > segment_->bytes())
    --parts_;
  THALWEG_ASSERT(light, parts_ > 0);
  use(0).users.store(processes, std::memory_order_relaxed);
}

Arena::PartUse& Arena::use(std::uint32_t number) const {
  return reinterpret_cast<PartUse*>(segment_->memory())[number];
}

std::byte* Arena::memory(std::uint32_t number) const {
  return segment_->memory() + bytes_for(part_bytes_, parts_) - (parts_ - number) * part_bytes_;
}

std::optional<std::uint32_t> Arena::take(std::int32_t users) {
  for (std::uint32_t number = 0; number < parts_; ++number) {
    std::int32_t nobody = 0;
    if (use(number).users.compare_exchange_strong(nobody, users, std::memory_order_acquire,
                                                  std::memory_order_relaxed))
      return number;
  }
  return std::nullopt;
}

std::shared_ptr<std::byte> Arena::part(std::uint32_t number, std::size_t kept) {
  THALWEG_ASSERT(light, number < parts_ && kept <= part_bytes_);
  std::byte* const begin = memory(number);
  // Kernels before 5.14 do not know this: pages are then mapped when they are used.
  if (kept > 0)
    ::madvise(begin, whole_pages(kept), MADV_POPULATE_WRITE);
  return {begin, [arena = shared_from_this(), number, kept](std::byte*) { arena->let_go(number, kept); }};
}

// The last one leaves zeros. A part that the system takes no pages of is not used again.
void Arena::let_go(std::uint32_t number, std::size_t kept) const {
  PartUse& part = use(number);
  if (part.gone.fetch_add(1, std::memory_order_acq_rel) + 1 != part.users.load(std::memory_order_relaxed))
    return;
  const std::size_t stays = whole_pages(kept);
  std::memset(memory(number), 0, stays);
  if (stays < part_bytes_ && ::madvise(memory(number) + stays, part_bytes_ - stays, MADV_REMOVE) != 0)
    return;
  part.gone.store(0, std::memory_order_relaxed);
  part.users.store(0, std::memory_order_release);
}

} // namespace thalweg::transport

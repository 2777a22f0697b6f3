// SPDX-License-Identifier: BSD-3-Clause
#include "transport/shm/broadcast_buffer.hpp"

#include "base/assertion.hpp"

namespace thalweg::transport {

std::optional<std::uint64_t> BroadcastBuffer::publish(const std::byte* data, std::size_t bytes, bool is_far) {
  THALWEG_ASSERT(normal, bytes <= max_bytes());
  const std::size_t needed = sizeof(BroadcastHeader) + (bytes + cache_line - 1) / cache_line * cache_line;
  reclaim();
  // What is free reaches from next_ to the oldest slot, perhaps over the end.
  std::uint64_t begin = next_;
  const std::uint64_t oldest = published_.empty() ? 0 : published_.front();
  if (published_.empty())
    begin = 0;
  else if (next_ > oldest && bytes_ - next_ < needed)
    begin = 0;
  const bool lies_before_oldest = !published_.empty() && begin <= oldest;
  if ((lies_before_oldest ? oldest : bytes_) - begin < needed)
    return std::nullopt;
  head(memory_, begin).readers.store(open_mark, std::memory_order_relaxed);
  writer_.copy(read(memory_, begin), data, bytes, is_far);
  published_.push_back(begin);
  next_ = begin + needed;
  return begin;
}

void BroadcastBuffer::close(std::uint64_t offset, std::uint32_t readers) {
  const std::uint32_t before =
      head(memory_, offset).readers.fetch_sub(open_mark - readers, std::memory_order_release);
  // Those that have read it are off the count already.
  THALWEG_ASSERT(normal, readers < open_mark && before <= open_mark && open_mark - before <= readers);
}

void BroadcastBuffer::leave(std::byte* memory, std::uint64_t offset) {
  const std::uint32_t before = head(memory, offset).readers.fetch_sub(1, std::memory_order_release);
  THALWEG_ASSERT(normal, before > 0);
}

void BroadcastBuffer::reclaim() {
  while (!published_.empty() &&
         head(memory_, published_.front()).readers.load(std::memory_order_acquire) == 0)
    published_.pop_front();
}

} // namespace thalweg::transport

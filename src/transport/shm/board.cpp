#include "transport/shm/board.hpp"

#include <cstring>

namespace thalweg::transport {

std::optional<std::uint64_t> Board::show(const std::byte* data, std::size_t bytes) {
  const std::size_t needed = sizeof(PlaceHead) + (bytes + cache_line - 1) / cache_line * cache_line;
  take_back();
  // What is free reaches from next_ to the oldest place, perhaps over the end.
  std::uint64_t begin = next_;
  const std::uint64_t oldest = given_.empty() ? 0 : given_.front();
  if (given_.empty())
    begin = 0;
  else if (next_ > oldest && bytes_ - next_ < needed)
    begin = 0;
  const bool lies_before_oldest = !given_.empty() && begin <= oldest;
  if ((lies_before_oldest ? oldest : bytes_) - begin < needed)
    return std::nullopt;
  head(memory_, begin).readers.store(open, std::memory_order_relaxed);
  std::memcpy(read(memory_, begin), data, bytes);
  given_.push_back(begin);
  next_ = begin + needed;
  return begin;
}

void Board::close(std::uint64_t place, std::uint32_t readers) {
  head(memory_, place).readers.fetch_sub(open - readers, std::memory_order_release);
}

void Board::take_back() {
  while (!given_.empty() && head(memory_, given_.front()).readers.load(std::memory_order_acquire) == 0)
    given_.pop_front();
}

} // namespace thalweg::transport

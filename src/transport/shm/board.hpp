#pragma once

// What a rank shows to several others: bytes that it copies here once, for each of them to read.
//
// A place is a line that counts its readers, and the bytes behind it. Places are given out one after another,
// round and round, and come free again in that order. While the owner still tells ranks of a place, it counts
// as held by more readers than there can be; closing it leaves those that were told and have not read yet.

#include "transport/shm/cache_line.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace thalweg::transport {

/// What stands before the bytes of a place.
struct alignas(cache_line) PlaceHead {
  std::atomic<std::uint32_t> readers; ///< that have not read it yet
};

/// The owner's side. One thread at a time may use it.
class Board {
public:
  Board(std::byte* memory, std::size_t bytes) : memory_(memory), bytes_(bytes) {}

  std::size_t most_bytes() const { return bytes_ - sizeof(PlaceHead); }
  /// Copies `bytes`, at most most_bytes(), to a free place; its offset, or nothing where there is no room
  /// yet.
  std::optional<std::uint64_t> show(const std::byte* data, std::size_t bytes);
  /// `readers` ranks were told of the place, and no more will be.
  void close(std::uint64_t place, std::uint32_t readers);

  /// The readers' side: the bytes of a place, which only they that count as its readers may look at, and not
  /// write.
  static std::byte* read(std::byte* memory, std::uint64_t place) {
    return memory + place + sizeof(PlaceHead);
  }
  /// One reader has done with it.
  static void leave(std::byte* memory, std::uint64_t place) {
    head(memory, place).readers.fetch_sub(1, std::memory_order_release);
  }

private:
  static PlaceHead& head(std::byte* memory, std::uint64_t place) {
    return *reinterpret_cast<PlaceHead*>(memory + place);
  }
  void take_back();

  static constexpr std::uint32_t open = std::uint32_t{1} << 31; ///< readers of a place that is not closed

  std::byte* memory_;
  std::size_t bytes_;
  std::uint64_t next_ = 0;          ///< where the next place may begin
  std::deque<std::uint64_t> given_; ///< where places begin that are not known to be free
};

} // namespace thalweg::transport

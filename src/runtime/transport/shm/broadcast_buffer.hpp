// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A shared broadcast buffer: what a rank publishes to several others, copied once for each of them to read.
//
// A slot is a line that counts its readers, and the bytes behind it. Slots are given out one after another,
// round and round, and come free again in that order. While the owner still announces a slot, it counts
// as held by more readers than there can be; closing it leaves those that know of it and have not read yet.

#include "transport/shm/segment.hpp"
#include "transport/shm/streaming_stores.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace thalweg::transport {

/// What stands before the bytes of a slot.
struct alignas(cache_line) BroadcastHeader {
  std::atomic<std::uint32_t> readers; ///< that have not read it yet
};

/// The owner's side. One thread at a time may use it.
class BroadcastBuffer {
public:
  BroadcastBuffer(std::byte* memory, std::size_t bytes, Stores stores = Stores::fastest)
      : memory_(memory), bytes_(bytes), writer_(stores) {}

  std::size_t max_bytes() const { return bytes_ - sizeof(BroadcastHeader); }
  /// Copies `bytes`, at most max_bytes(), to a free slot; its offset, or nothing where there is no room
  /// yet. `is_far`: so is a reader.
  std::optional<std::uint64_t> publish(const std::byte* data, std::size_t bytes, bool is_far = false);
  /// `readers` ranks know of the slot at `offset`, and no more will.
  void close(std::uint64_t offset, std::uint32_t readers);

  /// The readers' side: the bytes of a slot, which only they that count as its readers may look at, and not
  /// write.
  static std::byte* read(std::byte* memory, std::uint64_t offset) {
    return memory + offset + sizeof(BroadcastHeader);
  }
  /// One reader has done with it.
  static void leave(std::byte* memory, std::uint64_t offset);

private:
  static BroadcastHeader& head(std::byte* memory, std::uint64_t offset) {
    return *reinterpret_cast<BroadcastHeader*>(memory + offset);
  }
  void reclaim();

  static constexpr std::uint32_t open_mark = std::uint32_t{1} << 31; ///< readers of a slot that is not closed

  std::byte* memory_;
  std::size_t bytes_;
  SharedWriter writer_;
  std::uint64_t next_ = 0;              ///< where the next slot may begin
  std::deque<std::uint64_t> published_; ///< where slots begin that are not known to be free
};

} // namespace thalweg::transport

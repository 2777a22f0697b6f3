// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A one-way channel between two processes in memory that both have mapped: bytes in order, no locks.
//
// The sender writes slots of one cache line. A slot carries what a message is (tag, size) and, if it is
// short, the message itself, so that a short message is one line's way from core to core (NCCL's and
// FastForward's idea: data and flag in one line). The bytes of longer ones pass in chunks through a ring
// beside the slots; each chunk has a slot, which says where it stands. A slot is written when its `sequence`
// says so: the number of times that the ring of slots has gone round. The receiver counts the slots that it
// has consumed in a line of its own, which the sender looks at only when it believes the channel full
// (Giacomoni, Moseley, Vachharajani 2008).
//
// The ring is long for ranks that run ahead of others. A rank that does not uses its beginning only, so that
// the few calls of a short program find lines and pages that have been used before. Where ranks share cores,
// the receiver may be away for long, and to begin anew must not cost any room.
//
// One thread at a time may use a Sender, and one a Receiver. Both must be made on memory of zeros.

#include "base/assertion.hpp"
#include "transport/shm/line_distance.hpp"
#include "transport/shm/segment.hpp"
#include "transport/shm/streaming_stores.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace thalweg::transport {

inline constexpr std::size_t short_message = 48; ///< bytes that fit into a slot

struct alignas(cache_line) Slot {
  std::atomic<std::uint32_t> sequence;
  std::int32_t tag;
  std::uint64_t sizes; ///< of the message, and in the low bits of this slot's chunk
  std::byte payload[short_message];

  static constexpr int chunk_bits = 20;
  static constexpr std::uint64_t in_broadcast_buffer =
      (std::uint64_t{1} << chunk_bits) - 1; ///< in place of a chunk's size
  std::uint64_t message_bytes() const { return sizes >> chunk_bits; }
  /// Is it the whole message's place in the sender's broadcast buffer that this slot holds?
  bool is_in_broadcast_buffer() const { return (sizes & in_broadcast_buffer) == in_broadcast_buffer; }
  std::uint64_t chunk_bytes() const {
    return is_in_broadcast_buffer() ? message_bytes() : sizes & in_broadcast_buffer;
  }
  bool is_whole() const {
    return message_bytes() == (sizes & in_broadcast_buffer) || is_in_broadcast_buffer();
  }
  /// Where the bytes stand that are not in the slot: in the ring, or in the broadcast buffer.
  std::uint64_t offset() const {
    std::uint64_t offset = 0;
    std::memcpy(&offset, payload, sizeof offset);
    return offset;
  }
};
static_assert(sizeof(Slot) == cache_line);
static_assert(std::atomic<std::uint32_t>::is_always_lock_free, "processes share it");

struct alignas(cache_line) Credit {
  std::atomic<std::uint64_t> consumed; ///< slots that the receiver has done with
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "processes share it");

/// How much a channel holds.
struct ChannelShape {
  std::size_t ring_bytes = 0;  ///< a power of two, at least 4 * cache_line
  std::uint32_t slot_bits = 5; ///< of the number of slots, at most max_slot_bits

  static constexpr std::uint32_t max_slot_bits = 7;
  constexpr std::uint64_t slots() const { return std::uint64_t{1} << slot_bits; }
};

/// A channel's memory.
struct ChannelMemory {
  Slot* slots = nullptr;
  std::size_t stride = 1; ///< from slot to slot
  Credit* credit = nullptr;
  std::byte* ring = nullptr;
  std::byte* broadcast_buffer = nullptr; ///< the sender's
  ChannelShape shape;

  /// The slot of that number, counted from the channel's beginning, and the sequence number with which it is
  /// written.
  Slot& slot(std::uint64_t number) const { return slots[(number & (shape.slots() - 1)) * stride]; }
  std::uint32_t sequence(std::uint64_t number) const {
    return static_cast<std::uint32_t>(number >> shape.slot_bits) + 1;
  }
};

/// Where a sender's chunks stand in the ring: whole, each beginning with a line, one behind the other. Places
/// are numbers of bytes counted from the channel's beginning.
class RingPlaces {
public:
  RingPlaces(std::size_t ring_bytes, bool shares_cores)
      : ring_bytes_(ring_bytes), shares_cores_(shares_cores) {}

  /// Chunks of up to so many bytes go round in the beginning of the ring, while little is under way.
  static constexpr std::size_t max_warm_chunk = std::size_t{8} << 10;
  /// How much of the ring that is: 16 KiB for short chunks, which stay in the nearest cache of both ranks.
  static constexpr std::size_t warm_bytes(std::size_t chunk) {
    return chunk <= (std::size_t{2} << 10) ? std::size_t{16} << 10 : std::size_t{64} << 10;
  }

  /// May the next chunk begin anew, if what is under way is little?
  bool leaves_warm(std::size_t chunk) const {
    return chunk <= max_warm_chunk && offset(next_) + chunk > warm_bytes(chunk);
  }
  bool has_little_under_way(std::size_t chunk) const {
    return next_ - freed_ <= (shares_cores_ ? 0 : warm_bytes(chunk) / 2);
  }
  /// Where the next chunk is to stand.
  std::uint64_t place(std::size_t chunk) const {
    const std::uint64_t rest = ring_bytes_ - offset(next_);
    const bool begins_anew = rest < chunk || (leaves_warm(chunk) && has_little_under_way(chunk));
    return begins_anew ? next_ + rest : next_;
  }
  bool has_room(std::size_t chunk) const { return place(chunk) + chunk - freed_ <= ring_bytes_; }
  /// Gives the chunk its place, for which there must be room; returns it.
  std::uint64_t take(std::size_t chunk) {
    THALWEG_ASSERT(normal, has_room(chunk));
    const std::uint64_t begin = place(chunk);
    if (next_ == freed_) // what is skipped is free at once
      freed_ = begin;
    next_ = begin + (chunk + cache_line - 1) / cache_line * cache_line;
    return begin;
  }
  std::uint64_t next() const { return next_; }
  void free_up_to(std::uint64_t place) {
    THALWEG_ASSERT(normal, place >= freed_ && place <= next_);
    freed_ = place;
  }
  std::size_t offset(std::uint64_t place) const { return place & (ring_bytes_ - 1); }

private:
  std::size_t ring_bytes_; ///< a power of two
  bool shares_cores_;
  std::uint64_t next_ = 0;
  std::uint64_t freed_ = 0; ///< what is before this is free again
};

class Sender {
public:
  /// `distance` is the pair's, borrowed; null: not known.
  explicit Sender(const ChannelMemory& memory, bool shares_cores = false, Stores stores = Stores::fastest,
                  LineDistance* distance = nullptr)
      : memory_(memory), places_(memory.shape.ring_bytes, shares_cores),
        max_chunk_(memory.shape.ring_bytes / 8), writer_(stores), distance_(distance) {
    THALWEG_ASSERT(light, std::has_single_bit(memory.shape.ring_bytes) && max_chunk_ >= cache_line / 2);
    THALWEG_ASSERT(light, memory.shape.slot_bits <= ChannelShape::max_slot_bits);
  }

  /// Puts what fits of a message into the channel, whose first `done` bytes are in it already; returns how
  /// many are now. Chunks end at multiples of `granule` bytes, which must be at most max_granule(). A
  /// message of no bytes is one slot; `done` is then 1 when it went.
  std::size_t offer(std::int32_t tag, const std::byte* data, std::size_t bytes, std::size_t done,
                    std::size_t granule);

  /// Announces a message whose bytes stand in the sender's broadcast buffer; false where there is no slot for
  /// it yet.
  bool offer_published(std::int32_t tag, std::uint64_t offset, std::size_t bytes);

  /// Is there a slot to write to?
  bool has_free_slot() {
    if (next_ - consumed_ < memory_.shape.slots()) [[likely]]
      return true;
    look_at_credit();
    return next_ - consumed_ < memory_.shape.slots();
  }

  std::size_t max_granule() const { return max_chunk_; }
  /// Does a message go as one chunk, or not at all?
  bool is_one_chunk(std::size_t bytes, std::size_t granule) const {
    return bytes <= short_message || bytes <= chunk_of(bytes, granule);
  }

private:
  std::size_t chunk_of(std::size_t bytes, std::size_t granule) const;
  bool has_room(std::size_t chunk);
  void look_at_credit();
  std::uint64_t& end_of(std::uint64_t slot) { return ends_[slot & (memory_.shape.slots() - 1)]; }
  static void set_offset(Slot& slot, std::uint64_t offset) {
    std::memcpy(slot.payload, &offset, sizeof offset);
  }
  void publish(Slot& slot, std::int32_t tag, std::size_t bytes, std::uint64_t chunk);

  ChannelMemory memory_;
  RingPlaces places_;
  std::size_t max_chunk_;
  SharedWriter writer_;
  LineDistance* distance_;
  std::uint64_t next_ = 0;     ///< slots written so far
  std::uint64_t consumed_ = 0; ///< of those, known to be consumed
  std::uint64_t ends_[std::size_t{1} << ChannelShape::max_slot_bits] = {};
};

class Receiver {
public:
  /// `distance` is the pair's, borrowed; null: nobody asks for it.
  explicit Receiver(const ChannelMemory& memory, LineDistance* distance = nullptr)
      : memory_(memory), distance_(distance) {}

  /// The next slot that has come, or nullptr. `expected` is how many bytes are awaited, where that is known.
  const Slot* look(std::size_t expected = 0) const {
    const Slot& slot = memory_.slot(next_);
    if (distance_ != nullptr && distance_->is_due()) [[unlikely]] {
      const auto [sequence, ticks] = timed_load(slot.sequence);
      if (sequence == memory_.sequence(next_)) {
        distance_->took(ticks);
        return &slot;
      }
    } else if (slot.sequence.load(std::memory_order_acquire) == memory_.sequence(next_)) {
      return &slot;
    }
    // A core that holds the lines in which a chunk will be asks for them together with its slot, not after
    // it: all-to-alls of 64 to 256 B took 0.83 to 0.93 of the time. Of long ones processors fetch the rest
    // ahead, and to take lines from one who writes slowly costs more. (In a function of its own GCC 12 takes
    // this for something without effect.)
    if (expected > short_message && expected <= max_prefetched) {
      const std::byte* const next = memory_.ring + next_offset(expected);
      for (std::size_t line = 0; line < 4 * cache_line; line += cache_line)
        __builtin_prefetch(next + line);
    }
    return nullptr;
  }
  /// The bytes of the slot that look() found; may be written over until consume(), unless they are in a
  /// broadcast buffer.
  std::byte* chunk(const Slot& slot) const;
  /// Gives the slot that look() found, and its bytes, back to the sender; true if the sender can see it now.
  /// It is told of several slots at once, since one that waits for room keeps looking: that takes the line
  /// away from here.
  bool consume(const Slot& slot);

private:
  static constexpr std::size_t max_prefetched = 512;
  /// Where a chunk of so many bytes will stand, most likely.
  std::size_t next_offset(std::size_t bytes) const {
    return after_last_ + bytes > std::min(RingPlaces::warm_bytes(bytes), memory_.shape.ring_bytes)
               ? 0
               : after_last_;
  }

  ChannelMemory memory_;
  LineDistance* distance_;
  std::uint64_t next_ = 0;
  std::uint64_t credited_ = 0; ///< slots that the sender knows to be consumed
  std::size_t kept_ = 0;       ///< bytes of the ring that are free and not yet given back
  std::size_t after_last_ = 0; ///< where the last chunk ended in the ring
};

} // namespace thalweg::transport

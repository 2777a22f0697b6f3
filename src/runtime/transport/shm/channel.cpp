// SPDX-License-Identifier: BSD-3-Clause
#include "transport/shm/channel.hpp"

#include "base/assertion.hpp"
#include "transport/shm/broadcast_buffer.hpp"

#include <algorithm>
#include <cstring>

namespace thalweg::transport {

namespace {

/// Compilers leave out the "to write" for processors of 2003.
void fetch_to_write(const void* line) {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(line)));
#else
  __builtin_prefetch(line, 1);
#endif
}

// Each chunk costs two lines' ways: between cores that share no cache, where a line there and back takes 260
// ns, exchanges of 1 MiB took 80 us by chunks of 16 KiB, 67 by 32 and 61 by 64 (rings of 512 KiB), and
// between neighbors 43, 41 and 39. Who waits for a message to begin waits for a chunk.
constexpr std::size_t min_chunk = std::size_t{32} << 10;
constexpr std::size_t chunks_of_message = 8;

} // namespace

/// How much of a message goes at once: whole granules.
std::size_t Sender::chunk_of(std::size_t bytes, std::size_t granule) const {
  const std::size_t wanted = std::max(bytes / chunks_of_message, min_chunk);
  const std::size_t chunk = std::max(std::min(wanted, max_chunk_), granule);
  return chunk - chunk % granule;
}

std::size_t Sender::offer(std::int32_t tag, const std::byte* data, std::size_t bytes, std::size_t done,
                          std::size_t granule) {
  THALWEG_ASSERT(normal, done <= bytes && granule <= max_granule());
  if (bytes <= short_message) {
    if (!has_free_slot())
      return 0;
    Slot& slot = memory_.slot(next_);
    if (bytes > 0)
      std::memcpy(slot.payload, data, bytes);
    publish(slot, tag, bytes, bytes);
    return std::max<std::size_t>(bytes, 1);
  }
  const std::size_t limit = chunk_of(bytes, granule);
  while (done < bytes && has_free_slot()) {
    const std::size_t chunk = std::min(limit, bytes - done);
    if (!has_room(chunk))
      break;
    const std::size_t offset = places_.offset(places_.take(chunk));
    writer_.copy(memory_.ring + offset, data + done, chunk, distance_ != nullptr && distance_->is_far());
    Slot& slot = memory_.slot(next_);
    set_offset(slot, offset);
    publish(slot, tag, bytes, chunk);
    done += chunk;
  }
  return done;
}

bool Sender::offer_published(std::int32_t tag, std::uint64_t offset, std::size_t bytes) {
  if (!has_free_slot())
    return false;
  Slot& slot = memory_.slot(next_);
  set_offset(slot, offset);
  publish(slot, tag, bytes, Slot::in_broadcast_buffer);
  return true;
}

bool Sender::has_room(std::size_t chunk) {
  const bool may_stay_warm = !places_.leaves_warm(chunk) || places_.has_little_under_way(chunk);
  if (may_stay_warm && places_.has_room(chunk)) [[likely]]
    return true;
  look_at_credit();
  return places_.has_room(chunk);
}

void Sender::look_at_credit() {
  const bool is_timed = distance_ != nullptr && distance_->is_due();
  const auto [consumed, ticks] = is_timed
                                     ? timed_load(memory_.credit->consumed)
                                     : TimedLoad{memory_.credit->consumed.load(std::memory_order_acquire)};
  if (consumed == consumed_)
    return;
  if (distance_ != nullptr)
    is_timed ? distance_->took(ticks) : distance_->line_came();
  THALWEG_ASSERT(normal, consumed > consumed_ && consumed <= next_);
  consumed_ = consumed;
  places_.free_up_to(end_of(consumed - 1));
}

void Sender::publish(Slot& slot, std::int32_t tag, std::size_t bytes, std::uint64_t chunk) {
  end_of(next_) = places_.next();
  slot.tag = tag;
  slot.sizes = std::uint64_t{bytes} << Slot::chunk_bits | chunk;
  slot.sequence.store(memory_.sequence(next_), std::memory_order_release);
  ++next_;
  // The receiver's core still holds the next slot: it is fetched while nobody waits for it.
  fetch_to_write(&memory_.slot(next_));
}

std::byte* Receiver::chunk(const Slot& slot) const {
  if (slot.message_bytes() <= short_message)
    return const_cast<std::byte*>(slot.payload);
  if (slot.is_in_broadcast_buffer())
    return BroadcastBuffer::read(memory_.broadcast_buffer, slot.offset());
  return memory_.ring + slot.offset();
}

bool Receiver::consume(const Slot& slot) {
  THALWEG_ASSERT(normal, slot.sequence.load(std::memory_order_relaxed) == memory_.sequence(next_));
  bool is_in_broadcast_buffer = false;
  // What is kept back must leave room for any chunk, and let the sender see how little is under way.
  std::size_t max_kept = memory_.shape.ring_bytes / 8;
  if (slot.message_bytes() <= short_message) {
    // Nothing but the slot is given back.
  } else if (slot.is_in_broadcast_buffer()) {
    is_in_broadcast_buffer = true;
    BroadcastBuffer::leave(memory_.broadcast_buffer, slot.offset());
  } else {
    const std::size_t lines = (slot.chunk_bytes() + cache_line - 1) / cache_line * cache_line;
    kept_ += lines;
    // The sender began anew, and takes the rest of the ring for used as long as it does not hear of that.
    if (slot.offset() < after_last_)
      max_kept = 0;
    else if (slot.chunk_bytes() <= RingPlaces::max_warm_chunk)
      max_kept = std::min(max_kept, RingPlaces::warm_bytes(slot.chunk_bytes()) / 8);
    after_last_ = slot.offset() + lines;
  }
  ++next_;
  if (distance_ != nullptr)
    distance_->line_came();
  if (next_ - credited_ < memory_.shape.slots() / 4 && kept_ < max_kept)
    return is_in_broadcast_buffer;
  credited_ = next_;
  kept_ = 0;
  memory_.credit->consumed.store(next_, std::memory_order_release);
  return true;
}

} // namespace thalweg::transport

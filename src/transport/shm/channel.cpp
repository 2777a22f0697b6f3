#include "transport/shm/channel.hpp"

#include "core/assertion.hpp"
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
    const std::uint64_t begin = positions_.position(chunk);
    if (!has_room(begin + chunk))
      break;
    std::memcpy(memory_.ring + positions_.offset(begin), data + done, chunk);
    positions_.advance(begin, chunk);
    publish(memory_.slot(next_), tag, bytes, chunk);
    done += chunk;
  }
  return done;
}

bool Sender::offer_published(std::int32_t tag, std::uint64_t offset, std::size_t bytes) {
  if (!has_free_slot())
    return false;
  Slot& slot = memory_.slot(next_);
  std::memcpy(slot.payload, &offset, sizeof offset);
  publish(slot, tag, bytes, Slot::in_broadcast_buffer);
  return true;
}

bool Sender::has_free_slot() {
  if (next_ - consumed_ < memory_.shape.slots()) [[likely]]
    return true;
  look_at_credit();
  return next_ - consumed_ < memory_.shape.slots();
}

bool Sender::has_room(std::uint64_t end) {
  if (end - freed_ <= memory_.shape.ring_bytes) [[likely]]
    return true;
  look_at_credit();
  return end - freed_ <= memory_.shape.ring_bytes;
}

void Sender::look_at_credit() {
  const std::uint64_t consumed = memory_.credit->consumed.load(std::memory_order_acquire);
  if (consumed == consumed_)
    return;
  THALWEG_ASSERT(normal, consumed > consumed_ && consumed <= next_);
  consumed_ = consumed;
  freed_ = end_of(consumed - 1);
}

void Sender::publish(Slot& slot, std::int32_t tag, std::size_t bytes, std::uint64_t chunk) {
  end_of(next_) = positions_.next();
  slot.tag = tag;
  slot.sizes = std::uint64_t{bytes} << Slot::chunk_bits | chunk;
  slot.sequence.store(memory_.sequence(next_), std::memory_order_release);
  ++next_;
  // The receiver's core still holds the next slot: it is fetched while nobody waits for it.
  fetch_to_write(&memory_.slot(next_));
}

std::uint64_t Receiver::broadcast_offset(const Slot& slot) {
  std::uint64_t offset = 0;
  std::memcpy(&offset, slot.payload, sizeof offset);
  return offset;
}

std::byte* Receiver::chunk(const Slot& slot) const {
  if (slot.message_bytes() <= short_message)
    return const_cast<std::byte*>(slot.payload);
  if (slot.is_in_broadcast_buffer())
    return BroadcastBuffer::read(memory_.broadcast_buffer, broadcast_offset(slot));
  return memory_.ring + positions_.offset(positions_.position(slot.chunk_bytes()));
}

bool Receiver::consume(const Slot& slot) {
  THALWEG_ASSERT(normal, slot.sequence.load(std::memory_order_relaxed) == memory_.sequence(next_));
  bool is_in_broadcast_buffer = false;
  if (slot.message_bytes() <= short_message) {
    // Nothing but the slot is given back.
  } else if (slot.is_in_broadcast_buffer()) {
    is_in_broadcast_buffer = true;
    BroadcastBuffer::leave(memory_.broadcast_buffer, broadcast_offset(slot));
  } else {
    const std::uint64_t chunk = slot.chunk_bytes();
    positions_.advance(positions_.position(chunk), chunk);
  }
  ++next_;
  // What is kept back must leave room for any chunk.
  if (next_ - credited_ < memory_.shape.slots() / 4 &&
      positions_.next() - credited_position_ < memory_.shape.ring_bytes / 8)
    return is_in_broadcast_buffer;
  credited_ = next_;
  credited_position_ = positions_.next();
  memory_.credit->consumed.store(next_, std::memory_order_release);
  return true;
}

} // namespace thalweg::transport

#include "transport/shm/channel.hpp"

#include "transport/shm/board.hpp"

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
// between neighbours 43, 41 and 39. Who waits for a message to begin waits for a chunk.
constexpr std::size_t least_chunk = std::size_t{32} << 10;
constexpr std::size_t chunks_of_message = 8;

} // namespace

/// How much of a message goes at once: whole granules.
std::size_t Sender::chunk_of(std::size_t bytes, std::size_t granule) const {
  const std::size_t wanted = std::max(bytes / chunks_of_message, least_chunk);
  const std::size_t chunk = std::max(std::min(wanted, most_chunk_), granule);
  return chunk - chunk % granule;
}

std::size_t Sender::offer(std::int32_t tag, const std::byte* data, std::size_t bytes, std::size_t done,
                          std::size_t granule) {
  if (bytes <= short_message) {
    if (!has_cell())
      return 0;
    Cell& cell = memory_.cell(next_);
    if (bytes > 0)
      std::memcpy(cell.payload, data, bytes);
    publish(cell, tag, bytes, bytes);
    return std::max<std::size_t>(bytes, 1);
  }
  const std::size_t most = chunk_of(bytes, granule);
  while (done < bytes && has_cell()) {
    const std::size_t chunk = std::min(most, bytes - done);
    const std::uint64_t begin = places_.place(chunk);
    if (!has_room(begin + chunk))
      break;
    std::memcpy(memory_.ring + places_.offset(begin), data + done, chunk);
    places_.take(begin, chunk);
    publish(memory_.cell(next_), tag, bytes, chunk);
    done += chunk;
  }
  return done;
}

bool Sender::offer_place(std::int32_t tag, std::uint64_t place, std::size_t bytes) {
  if (!has_cell())
    return false;
  Cell& cell = memory_.cell(next_);
  std::memcpy(cell.payload, &place, sizeof place);
  publish(cell, tag, bytes, Cell::on_board);
  return true;
}

bool Sender::has_cell() {
  if (next_ - taken_ < memory_.shape.cells()) [[likely]]
    return true;
  look_at_credit();
  return next_ - taken_ < memory_.shape.cells();
}

bool Sender::has_room(std::uint64_t end) {
  if (end - freed_ <= memory_.shape.ring_bytes) [[likely]]
    return true;
  look_at_credit();
  return end - freed_ <= memory_.shape.ring_bytes;
}

void Sender::look_at_credit() {
  const std::uint64_t taken = memory_.credit->taken.load(std::memory_order_acquire);
  if (taken == taken_)
    return;
  taken_ = taken;
  freed_ = end_of(taken - 1);
}

void Sender::publish(Cell& cell, std::int32_t tag, std::size_t bytes, std::uint64_t chunk) {
  end_of(next_) = places_.next();
  cell.tag = tag;
  cell.sizes = std::uint64_t{bytes} << Cell::chunk_bits | chunk;
  cell.turn.store(memory_.turn(next_), std::memory_order_release);
  ++next_;
  // The receiver's core still holds the next cell: it is fetched while nobody waits for it.
  fetch_to_write(&memory_.cell(next_));
}

std::uint64_t Receiver::place(const Cell& cell) {
  std::uint64_t place = 0;
  std::memcpy(&place, cell.payload, sizeof place);
  return place;
}

std::byte* Receiver::chunk(const Cell& cell) const {
  if (cell.message_bytes() <= short_message)
    return const_cast<std::byte*>(cell.payload);
  if (cell.is_on_board())
    return Board::read(memory_.board, place(cell));
  return memory_.ring + places_.offset(places_.place(cell.chunk_bytes()));
}

bool Receiver::take(const Cell& cell) {
  bool is_on_board = false;
  if (cell.message_bytes() <= short_message) {
    // Nothing but the cell is given back.
  } else if (cell.is_on_board()) {
    is_on_board = true;
    Board::leave(memory_.board, place(cell));
  } else {
    const std::uint64_t chunk = cell.chunk_bytes();
    places_.take(places_.place(chunk), chunk);
  }
  ++next_;
  // What is kept back must leave room for any chunk.
  if (next_ - told_ < memory_.shape.cells() / 4 &&
      places_.next() - told_place_ < memory_.shape.ring_bytes / 8)
    return is_on_board;
  told_ = next_;
  told_place_ = places_.next();
  memory_.credit->taken.store(next_, std::memory_order_release);
  return true;
}

} // namespace thalweg::transport

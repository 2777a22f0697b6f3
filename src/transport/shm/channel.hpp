#pragma once

// A one-way channel between two processes in memory that both have mapped: bytes in order, no locks.
//
// The sender writes cells of one cache line. A cell carries what a message is (tag, size) and, if it is
// short, the message itself, so that a short message is one line's way from core to core (NCCL's and
// FastForward's idea: data and flag in one line). The bytes of longer ones pass in chunks through a ring
// beside the cells; each chunk has a cell. A cell is written when its `turn` says so: the number of times
// that the ring of cells has gone round. The receiver counts the cells that it has taken in a line of its
// own, which the sender looks at only when it believes the channel full (Giacomoni, Moseley, Vachharajani
// 2008).
//
// One thread at a time may use a Sender, and one a Receiver. Both must be made on memory of zeros.

#include "transport/shm/cache_line.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace thalweg::transport {

inline constexpr std::size_t short_message = 48; ///< bytes that fit into a cell

struct alignas(cache_line) Cell {
  std::atomic<std::uint32_t> turn;
  std::int32_t tag;
  std::uint64_t sizes; ///< of the message, and in the low bits of this cell's chunk
  std::byte payload[short_message];

  static constexpr int chunk_bits = 20;
  static constexpr std::uint64_t on_board =
      (std::uint64_t{1} << chunk_bits) - 1; ///< in place of a chunk's size
  std::uint64_t message_bytes() const { return sizes >> chunk_bits; }
  /// Is it the whole message's place on the sender's board that this cell holds?
  bool is_on_board() const { return (sizes & on_board) == on_board; }
  std::uint64_t chunk_bytes() const { return is_on_board() ? message_bytes() : sizes & on_board; }
  bool is_whole() const { return message_bytes() == (sizes & on_board) || is_on_board(); }
};
static_assert(sizeof(Cell) == cache_line);
static_assert(std::atomic<std::uint32_t>::is_always_lock_free, "processes share it");

struct alignas(cache_line) Credit {
  std::atomic<std::uint64_t> taken; ///< cells that the receiver has done with
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "processes share it");

/// How much a channel holds.
struct ChannelShape {
  std::size_t ring_bytes = 0;  ///< a power of two, at least 4 * cache_line
  std::uint32_t cell_bits = 5; ///< of the number of cells, at most most_cell_bits

  static constexpr std::uint32_t most_cell_bits = 7;
  constexpr std::uint64_t cells() const { return std::uint64_t{1} << cell_bits; }
};

/// A channel's memory.
struct ChannelMemory {
  Cell* cells = nullptr;
  std::size_t stride = 1; ///< from cell to cell
  Credit* credit = nullptr;
  std::byte* ring = nullptr;
  std::byte* board = nullptr; ///< the sender's
  ChannelShape shape;

  /// The cell of that number, counted from the channel's beginning, and the turn in which it is written.
  Cell& cell(std::uint64_t number) const { return cells[(number & (shape.cells() - 1)) * stride]; }
  std::uint32_t turn(std::uint64_t number) const {
    return static_cast<std::uint32_t>(number >> shape.cell_bits) + 1;
  }
};

/// Where chunks stand in the ring: both ends count alike.
class RingPlaces {
public:
  explicit RingPlaces(std::size_t ring_bytes) : ring_bytes_(ring_bytes) {}
  /// The number of the first byte of the next chunk: chunks are whole, and begin with a line.
  std::uint64_t place(std::uint64_t chunk) const {
    const std::uint64_t rest = ring_bytes_ - next_ % ring_bytes_;
    return rest >= chunk ? next_ : next_ + rest;
  }
  void take(std::uint64_t begin, std::uint64_t chunk) {
    next_ = begin + (chunk + cache_line - 1) / cache_line * cache_line;
  }
  std::uint64_t next() const { return next_; }
  std::size_t offset(std::uint64_t place) const { return place % ring_bytes_; }

private:
  std::size_t ring_bytes_;
  std::uint64_t next_ = 0;
};

class Sender {
public:
  explicit Sender(const ChannelMemory& memory)
      : memory_(memory), places_(memory.shape.ring_bytes), most_chunk_(memory.shape.ring_bytes / 8) {}

  /// Puts what fits of a message into the channel, whose first `done` bytes are in it already; returns how
  /// many are now. Chunks end at multiples of `granule` bytes, which must be at most most_granule(). A
  /// message of no bytes is one cell; `done` is then 1 when it went.
  std::size_t offer(std::int32_t tag, const std::byte* data, std::size_t bytes, std::size_t done,
                    std::size_t granule);

  /// Tells of a message whose bytes stand on the sender's board; false where there is no cell for it yet.
  bool offer_place(std::int32_t tag, std::uint64_t place, std::size_t bytes);

  /// Is there a cell to write to?
  bool has_cell();

  std::size_t most_granule() const { return most_chunk_; }
  /// Does a message go as one chunk, or not at all?
  bool is_one_chunk(std::size_t bytes, std::size_t granule) const {
    return bytes <= chunk_of(bytes, granule);
  }

private:
  std::size_t chunk_of(std::size_t bytes, std::size_t granule) const;
  bool has_room(std::uint64_t end);
  void look_at_credit();
  std::uint64_t& end_of(std::uint64_t cell) { return ends_[cell & (memory_.shape.cells() - 1)]; }
  void publish(Cell& cell, std::int32_t tag, std::size_t bytes, std::uint64_t chunk);

  ChannelMemory memory_;
  RingPlaces places_;
  std::size_t most_chunk_;
  std::uint64_t next_ = 0;  ///< cells written so far
  std::uint64_t taken_ = 0; ///< of those, known to be taken
  std::uint64_t freed_ = 0; ///< places of the ring before this are free again
  std::uint64_t ends_[std::size_t{1} << ChannelShape::most_cell_bits] = {};
};

class Receiver {
public:
  explicit Receiver(const ChannelMemory& memory) : memory_(memory), places_(memory.shape.ring_bytes) {}

  /// The next cell that has come, or nullptr. `awaited` is how many bytes are, where that is known.
  const Cell* look(std::size_t awaited = 0) const {
    const Cell& cell = memory_.cell(next_);
    if (cell.turn.load(std::memory_order_acquire) == memory_.turn(next_))
      return &cell;
    // A core that holds the lines in which a chunk will be asks for them together with its cell, not after
    // it: all-to-alls of 64 to 256 B took 0.83 to 0.93 of the time. Of long ones processors fetch the rest
    // ahead, and to take lines from one who writes slowly costs more. (In a function of its own GCC 12 takes
    // this for something without effect.)
    if (awaited > short_message && awaited <= most_held) {
      const std::byte* const next = memory_.ring + places_.offset(places_.next());
      for (std::size_t line = 0; line < 4 * cache_line; line += cache_line)
        __builtin_prefetch(next + line);
    }
    return nullptr;
  }
  /// The bytes of the cell that look() found; may be written over until take(), unless they are on a board.
  std::byte* chunk(const Cell& cell) const;
  /// Gives the cell that look() found, and its bytes, back to the sender; true if the sender can see it now.
  /// It is told of several cells at once, since one that waits for room keeps looking: that takes the line
  /// away from here.
  bool take(const Cell& cell);

private:
  static constexpr std::size_t most_held = 512;
  static std::uint64_t place(const Cell& cell);

  ChannelMemory memory_;
  RingPlaces places_;
  std::uint64_t next_ = 0;
  std::uint64_t told_ = 0;       ///< cells that the sender knows to be taken
  std::uint64_t told_place_ = 0; ///< where the ring was free up to then
};

} // namespace thalweg::transport

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Messages that wait to be run, one behind the other in pieces of memory. Whoever puts one there writes into
// what is left of the last piece (`room`), without a call; a message stays where it is while it runs.

#include "base/assertion.hpp"

#include <cstddef>
#include <cstring>
#include <deque>
#include <memory>
#include <new>
#include <span>

namespace thalweg::objects {

/// What a queue has left of its last piece: the program's calls write there (thalweg_objects_room).
struct Room {
  char*& next;
  char*& end;
};

/// Messages begin at multiples of so many bytes, and so do their arguments.
constexpr std::size_t message_alignment = 16;
constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + message_alignment - 1) / message_alignment * message_alignment;
}

/// Memory of messages.
struct FreeMessage {
  void operator()(char* memory) const { ::operator delete[](memory, std::align_val_t{message_alignment}); }
};
using MessageMemory = std::unique_ptr<char[], FreeMessage>;
inline MessageMemory message_memory(std::size_t bytes) {
  return MessageMemory(new (std::align_val_t{message_alignment}) char[bytes]);
}

class MessageQueue {
public:
  explicit MessageQueue(Room room) : room_(room) {}

  bool is_empty() const { return pieces_.empty() || (pieces_.size() == 1 && read_ == room_.next); }
  /// The oldest message. There is one.
  const char* front() const {
    THALWEG_ASSERT(normal, !is_empty());
    return read_;
  }
  /// It took so many bytes, a multiple of the alignment.
  void pop(std::size_t bytes);
  /// The memory of the oldest message, which is popped as others are, if no other message was or will be in
  /// it; else null.
  MessageMemory release_front();
  /// What follows in the oldest message's memory are messages too: it is not released any more.
  void share_front() { pieces_.front().is_one = false; }

  /// Makes room for so many bytes.
  void refill(std::size_t bytes);
  /// Place for a message, which is written before anything else happens to the queue.
  char* place(std::size_t bytes) {
    if (static_cast<std::size_t>(room_.end - room_.next) < bytes)
      refill(bytes);
    THALWEG_ASSERT(normal, bytes % message_alignment == 0);
    char* const at = room_.next;
    room_.next += bytes;
    return at;
  }
  /// A message whose parts lie in another one, at multiples of the alignment.
  void put(std::span<const char> begin, std::span<const char> rest) {
    char* const at = place(begin.size() + rest.size());
    std::memcpy(at, begin.data(), begin.size());
    std::memcpy(at + begin.size(), rest.data(), rest.size());
  }
  /// A message that is in memory of its own.
  void adopt(MessageMemory memory, std::size_t bytes);

private:
  struct Piece {
    MessageMemory memory;
    std::size_t bytes = 0;
    const char* end = nullptr; ///< of its messages; of the last piece, once it is closed
    bool is_one = false;       ///< message, in memory of its own
  };
  void close();
  void skip_ended();

  Room room_;
  const char* read_ = nullptr;
  std::deque<Piece> pieces_;
  Piece spare_; ///< that was used, for the next refill
};

/// Urgent messages, and others, which are run when there are no urgent ones.
class MessageQueues {
public:
  MessageQueues(Room urgent, Room others) : queues_{MessageQueue(urgent), MessageQueue(others)} {}

  MessageQueue& of(bool is_urgent) { return queues_[is_urgent ? 0 : 1]; }
  /// By the number that programs know: 0 is the urgent ones'.
  MessageQueue& numbered(int queue) {
    THALWEG_ASSERT(normal, queue == 0 || queue == 1);
    return queues_[queue];
  }
  bool are_empty() const { return queues_[0].is_empty() && queues_[1].is_empty(); }
  /// Whose oldest message is next. There is one.
  MessageQueue& next() { return queues_[queues_[0].is_empty() ? 1 : 0]; }

private:
  MessageQueue queues_[2];
};

} // namespace thalweg::objects

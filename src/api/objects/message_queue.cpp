// SPDX-License-Identifier: BSD-3-Clause
#include "objects/message_queue.hpp"

#include "base/assertion.hpp"

#include <algorithm>
#include <utility>

namespace thalweg::objects {

namespace {
constexpr std::size_t piece_bytes = std::size_t{64} << 10;
}

void MessageQueue::close() {
  if (!pieces_.empty() && room_.next != nullptr)
    pieces_.back().end = room_.next;
  room_.next = room_.end = nullptr;
}

void MessageQueue::refill(std::size_t bytes) {
  close();
  Piece piece = spare_.bytes >= bytes ? std::exchange(spare_, {}) : Piece();
  if (piece.memory == nullptr) {
    piece.bytes = std::max(bytes, piece_bytes);
    piece.memory = message_memory(piece.bytes);
  }
  room_.next = piece.memory.get();
  room_.end = room_.next + piece.bytes;
  piece.end = nullptr;
  piece.is_one = false;
  if (pieces_.empty())
    read_ = room_.next;
  pieces_.push_back(std::move(piece));
  skip_ended();
}

void MessageQueue::adopt(MessageMemory memory, std::size_t bytes) {
  close();
  const char* const begin = memory.get();
  THALWEG_ASSERT(normal, begin != nullptr && bytes % message_alignment == 0);
  if (pieces_.empty())
    read_ = begin;
  pieces_.push_back({std::move(memory), bytes, begin + bytes, true});
  skip_ended();
}

void MessageQueue::pop(std::size_t bytes) {
  THALWEG_ASSERT(normal, !is_empty() && bytes % message_alignment == 0);
  read_ += bytes;
  THALWEG_ASSERT(normal, read_ <= (pieces_.front().end != nullptr ? pieces_.front().end : room_.next));
  if (pieces_.size() == 1 && read_ == room_.next) // what is in the cache is written again
    read_ = room_.next = pieces_.front().memory.get();
  else
    skip_ended();
}

MessageMemory MessageQueue::release_front() {
  THALWEG_ASSERT(normal, !is_empty());
  return pieces_.front().is_one ? std::move(pieces_.front().memory) : nullptr;
}

// Pieces that were read to their ends, but for the one that is written.
void MessageQueue::skip_ended() {
  while (!pieces_.empty() && read_ == pieces_.front().end) {
    if (pieces_.front().bytes == piece_bytes && pieces_.front().memory != nullptr)
      spare_ = std::move(pieces_.front());
    pieces_.pop_front();
    read_ = pieces_.empty() ? nullptr : pieces_.front().memory.get();
  }
}

} // namespace thalweg::objects

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Bytes that are written once, one behind the other, into memory that grows.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>

namespace thalweg::objects {

class GrowingBuffer {
public:
  /// Place for so many more. Places before move.
  char* add(std::size_t bytes) {
    if (size_ + bytes > room_)
      grow(size_ + bytes);
    char* const at = memory_.get() + size_;
    size_ += bytes;
    return at;
  }
  /// Its memory is kept.
  void clear() { size_ = 0; }
  char* begin() { return memory_.get(); }
  std::size_t size() const { return size_; }
  std::span<const char> bytes() const { return {memory_.get(), size_}; }

private:
  void grow(std::size_t min_bytes) {
    constexpr std::size_t first = 512;
    room_ = std::max({min_bytes, 2 * room_, first});
    std::unique_ptr<char[]> larger(new char[room_]);
    if (size_ != 0)
      std::memcpy(larger.get(), memory_.get(), size_);
    memory_ = std::move(larger);
  }

  std::unique_ptr<char[]> memory_;
  std::size_t size_ = 0;
  std::size_t room_ = 0;
};

} // namespace thalweg::objects

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Memory that a call works in, besides or in place of the program's.

#include <cstddef>
#include <vector>

namespace thalweg::job {

/// Bytes aligned for any type, that grow and are used again.
class Storage {
public:
  /// At least `bytes` bytes; what was there may be lost.
  std::byte* grow(std::size_t bytes) {
    const std::size_t words = (bytes + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t);
    if (words_.size() < words)
      words_ = std::vector<std::max_align_t>(words);
    return reinterpret_cast<std::byte*>(words_.data());
  }

private:
  std::vector<std::max_align_t> words_;
};

/// What becomes of a call whose input and output are the same memory.
struct BufferUse {
  bool in_place = false;     ///< the schedule works in that memory
  bool copies_input = false; ///< the input is copied first, as the strategy does not support that
};

constexpr BufferUse buffer_use(bool same_memory, bool strategy_works_in_place) {
  return {same_memory && strategy_works_in_place, same_memory && !strategy_works_in_place};
}

} // namespace thalweg::job

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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

} // namespace thalweg::job

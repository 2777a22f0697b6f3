// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace thalweg::balancing {

/// Memory for what comes, or is packed, kept from one move to the next: fresh pages would cost more than the
/// bytes in them.
class Arrivals {
public:
  /// Memory of so many bytes, aligned to 64. What it held before is kept.
  std::byte* room(std::size_t bytes);
  const std::byte* begin() const { return memory_.get(); }
  std::size_t size() const { return size_; }

private:
  struct Free {
    void operator()(std::byte* memory) const { ::operator delete(memory, alignment); }
  };
  static constexpr std::align_val_t alignment{64};

  std::unique_ptr<std::byte, Free> memory_;
  std::size_t size_ = 0;
};

} // namespace thalweg::balancing

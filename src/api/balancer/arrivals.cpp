// SPDX-License-Identifier: BSD-3-Clause
#include "balancer/arrivals.hpp"

#include <algorithm>
#include <cstring>

namespace thalweg::balancing {

std::byte* Arrivals::room(std::size_t bytes) {
  if (bytes > size_ || !memory_) {
    const std::size_t more = std::max({bytes, size_ + size_ / 2, std::size_t{64}});
    std::unique_ptr<std::byte, Free> larger(static_cast<std::byte*>(::operator new(more, alignment)));
    if (size_ > 0)
      std::memcpy(larger.get(), memory_.get(), size_);
    memory_ = std::move(larger);
    size_ = more;
  }
  return memory_.get();
}

} // namespace thalweg::balancing

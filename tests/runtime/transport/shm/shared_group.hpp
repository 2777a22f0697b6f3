// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Ranks of one process that talk through memory as processes of a node do.

#include "transport/shm/shm_transport.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

namespace thalweg::transport {

class SharedGroup {
public:
  enum class Threads { from_the_start, join_later };

  explicit SharedGroup(std::int32_t ranks, Threads threads = Threads::from_the_start) {
    const std::size_t bytes = GroupMemory(ranks).bytes();
    memory_.reset(static_cast<std::byte*>(std::aligned_alloc(cache_line, bytes)), std::free);
    std::fill_n(memory_.get(), bytes, std::byte{});
    NodeUse use;
    use.waiting.polls = 10; // more threads than cores
    use.sleeps = true;
    use.threaded = threads == Threads::from_the_start;
    for (Rank rank = 0; rank < ranks; ++rank)
      transports_.push_back(make_shm_transport(memory_, rank, ranks, use));
  }

  Transport* transport(Rank rank) const { return transports_[static_cast<std::size_t>(rank)].get(); }
  std::vector<std::unique_ptr<Transport>>& transports() { return transports_; }
  const std::shared_ptr<std::byte>& memory() const { return memory_; }

private:
  std::shared_ptr<std::byte> memory_;
  std::vector<std::unique_ptr<Transport>> transports_;
};

} // namespace thalweg::transport

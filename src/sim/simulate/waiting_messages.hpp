// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Messages that have come and wait for their receiver, in many small heaps that are made where they are
// needed: of most ranks none ever waits.

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

namespace thalweg::simulate {

class WaitingMessages {
public:
  static constexpr std::uint32_t no_heap = 0xffffffffU;

  /// Adds a message to the heap, which is made if there is none yet.
  void add(std::uint32_t& heap, std::uint32_t order, std::uint32_t message) {
    if (heap == no_heap) {
      heap = free_.empty() ? static_cast<std::uint32_t>(heaps_.size()) : free_.back();
      if (free_.empty())
        heaps_.emplace_back();
      else
        free_.pop_back();
    }
    heaps_[heap].push(std::uint64_t{order} << 32 | message);
  }

  /// Takes out the one with the lowest order.
  std::uint32_t take(std::uint32_t& heap) {
    Heap& one = heaps_[heap];
    const auto message = static_cast<std::uint32_t>(one.top());
    one.pop();
    if (one.empty()) {
      free_.push_back(heap);
      heap = no_heap;
    }
    return message;
  }

private:
  using Heap = std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>>;
  std::vector<Heap> heaps_;
  std::vector<std::uint32_t> free_;
};

} // namespace thalweg::simulate

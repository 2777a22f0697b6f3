// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Queues of which one has something to do while others wait behind it: what is first in a queue is not kept.

#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

namespace thalweg::simulate::packet {

template <typename Item>
class Queues {
public:
  /// Is it the first in that queue? Else it waits.
  bool enter(std::uint64_t queue, const Item& item) {
    const auto [found, is_first] = ends_.try_emplace(queue);
    if (is_first)
      return true;
    const std::uint32_t place = take(item);
    Ends& ends = found->second;
    (ends.first == none ? ends.first : waiting_[ends.last].next) = place;
    ends.last = place;
    return false;
  }

  /// The first in a queue is done: gives the one behind it, which is the first now.
  std::optional<Item> leave(std::uint64_t queue) {
    const auto found = ends_.find(queue);
    Ends& ends = found->second;
    if (ends.first == none) {
      ends_.erase(found);
      return std::nullopt;
    }
    const std::uint32_t place = ends.first;
    ends.first = waiting_[place].next;
    free_.push_back(place);
    return waiting_[place].item;
  }

private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  struct Ends {
    std::uint32_t first = none;
    std::uint32_t last = none;
  };
  struct Waiting {
    Item item;
    std::uint32_t next = none;
  };

  std::uint32_t take(const Item& item) {
    if (free_.empty()) {
      waiting_.push_back({item});
      return static_cast<std::uint32_t>(waiting_.size() - 1);
    }
    const std::uint32_t place = free_.back();
    free_.pop_back();
    waiting_[place] = {item};
    return place;
  }

  std::unordered_map<std::uint64_t, Ends> ends_;
  std::vector<Waiting> waiting_;
  std::vector<std::uint32_t> free_;
};

} // namespace thalweg::simulate::packet

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Items that come and go by number, and queues of them: what is in a queue are numbers, so that an item in it
// costs no memory of its own.

#include "base/assertion.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

namespace thalweg::simulate::packet {

/// Items by number; numbers of those that were given back are used again, the last one first.
template <typename Item>
class Pool {
public:
  /// References to other items are no longer valid behind it.
  std::uint32_t take(const Item& item) {
    if (free_.empty()) {
      items_.push_back(item);
      return static_cast<std::uint32_t>(items_.size() - 1);
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    items_[number] = item;
    return number;
  }
  void give_back(std::uint32_t number) {
    THALWEG_ASSERT(normal, number < items_.size() && used() > 0);
    free_.push_back(number);
  }

  Item& operator[](std::uint32_t number) {
    THALWEG_ASSERT(normal, number < items_.size());
    return items_[number];
  }
  const Item& operator[](std::uint32_t number) const {
    THALWEG_ASSERT(normal, number < items_.size());
    return items_[number];
  }
  /// How many have been taken and not been given back.
  std::size_t used() const { return items_.size() - free_.size(); }

private:
  std::vector<Item> items_;
  std::vector<std::uint32_t> free_;
};

/// A queue of items of a pool. Each has a member `next`, the number of the one behind it, which belongs to
/// the queue that the item is in.
class Chain {
public:
  bool is_empty() const { return first_ == nothing; }
  /// The number of the first item; there has to be one.
  std::uint32_t front() const {
    THALWEG_ASSERT(normal, !is_empty());
    return first_;
  }

  template <typename Item>
  void append(Pool<Item>& items, std::uint32_t number) {
    items[number].next = nothing;
    (first_ == nothing ? first_ : items[last_].next) = number;
    last_ = number;
  }

  /// Takes the first item out; there has to be one.
  template <typename Item>
  std::uint32_t take_front(const Pool<Item>& items) {
    const std::uint32_t number = front();
    first_ = items[number].next;
    return number;
  }

private:
  static constexpr std::uint32_t nothing = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t first_ = nothing;
  std::uint32_t last_ = nothing;
};

/// Queues of which one has something to do while others wait behind it: what is first in a queue is not kept.
template <typename Item>
class Queues {
public:
  /// Is it the first in that queue? Else it waits.
  bool enter(std::uint64_t queue, const Item& item) {
    const auto [found, is_first] = behind_.try_emplace(queue);
    if (!is_first)
      found->second.append(waiting_, waiting_.take({item}));
    return is_first;
  }

  /// The first in a queue is done: gives the one behind it, which is the first now. It must have entered.
  std::optional<Item> leave(std::uint64_t queue) {
    const auto found = behind_.find(queue);
    THALWEG_ASSERT(normal, found != behind_.end());
    if (found->second.is_empty()) {
      behind_.erase(found);
      return std::nullopt;
    }
    const std::uint32_t number = found->second.take_front(waiting_);
    waiting_.give_back(number);
    return waiting_[number].item;
  }

private:
  struct QueueItem {
    Item item;
    std::uint32_t next = 0;
  };

  std::unordered_map<std::uint64_t, Chain> behind_; ///< the first
  Pool<QueueItem> waiting_;
};

} // namespace thalweg::simulate::packet

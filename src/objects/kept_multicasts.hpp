#pragma once

// Messages that wait in an iteration of brackets for several ranks each. The ranks stand before the message,
// which is there once, and travels once on each way that some of them share.

#include "core/rank.hpp"
#include "objects/growing_buffer.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace thalweg::objects {

/// A message and its ranks, as they lie one behind the other at multiples of 16 bytes.
class Multicast {
public:
  explicit Multicast(const char* at) : at_(at) { std::memcpy(&head_, at, sizeof head_); }

  static std::size_t size(std::size_t ranks, std::size_t bytes) { return begin(ranks) + bytes; }
  /// Writes the ranks, and gives where the message goes.
  static char* write(char* at, std::span<const Rank> ranks, std::size_t bytes) {
    const Head head{bytes, ranks.size()};
    std::memcpy(at, &head, sizeof head);
    std::memcpy(at + sizeof head, ranks.data(), ranks.size_bytes());
    return at + begin(ranks.size());
  }

  std::size_t size() const { return size(head_.ranks, head_.bytes); }
  Rank rank(std::size_t place) const {
    Rank found = 0;
    std::memcpy(&found, at_ + sizeof head_ + place * sizeof found, sizeof found);
    return found;
  }
  std::size_t ranks() const { return head_.ranks; }
  std::span<const char> message() const { return {at_ + begin(head_.ranks), head_.bytes}; }

private:
  struct Head {
    std::uint64_t bytes = 0; ///< of the message, a multiple of 16
    std::uint64_t ranks = 0;
  };
  static_assert(sizeof(Head) == 16);
  static std::size_t begin(std::size_t ranks) {
    constexpr std::size_t alignment = 16;
    return (sizeof(Head) + ranks * sizeof(Rank) + alignment - 1) / alignment * alignment;
  }

  const char* at_;
  Head head_;
};

class KeptMulticasts {
public:
  /// Place for a message.
  char* add(std::span<const Rank> ranks, std::size_t bytes) {
    return Multicast::write(all_.add(Multicast::size(ranks.size(), bytes)), ranks, bytes);
  }
  template <typename Use>
  void each(Use&& use) const {
    each_in(all_.bytes(), use);
  }
  template <typename Use>
  static void each_in(std::span<const char> all, Use&& use) {
    while (!all.empty()) {
      const Multicast one(all.data());
      use(one);
      all = all.subspan(one.size());
    }
  }
  std::size_t bytes() const { return all_.size(); }
  void clear() { all_.clear(); }

private:
  GrowingBuffer all_;
};

} // namespace thalweg::objects

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Messages that wait in an iteration of brackets for several ranks each. What ranks have in common is there
// once, and travels once on each way that some of them share. What stands before it is each rank's own.

#include "base/rank.hpp"
#include "objects/growing_buffer.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace thalweg::objects {

/// A rank of a multicast, and what only its message begins with: a multiple of 16 bytes.
struct MulticastPart {
  Rank to = 0;
  std::span<const char> prefix;
};

/// A multicast as it lies in memory and messages, at multiples of 16 bytes.
class Multicast {
public:
  explicit Multicast(const char* at) : at_(at) { std::memcpy(&head_, at, sizeof head_); }

  static std::size_t size(std::span<const MulticastPart> parts, std::size_t bytes) {
    std::size_t all = prefixes_begin(parts.size()) + bytes;
    for (const MulticastPart& one : parts)
      all += one.prefix.size();
    return all;
  }
  /// Gives where what all have in common goes, a multiple of 16 bytes.
  static char* write(char* at, std::span<const MulticastPart> parts, std::size_t bytes) {
    char* prefix = at + prefixes_begin(parts.size());
    char* entry = at + sizeof(Head);
    for (const MulticastPart& one : parts) {
      const Entry made{one.to, static_cast<std::uint32_t>(one.prefix.size())};
      std::memcpy(entry, &made, sizeof made);
      entry += sizeof made;
      std::memcpy(prefix, one.prefix.data(), one.prefix.size());
      prefix += one.prefix.size();
    }
    const Head head{bytes, static_cast<std::uint32_t>(parts.size()), static_cast<std::uint32_t>(prefix - at)};
    std::memcpy(at, &head, sizeof head);
    return prefix;
  }

  std::size_t size() const { return head_.begin + head_.bytes; }
  std::span<const char> common() const { return {at_ + head_.begin, head_.bytes}; }
  /// use(part), whose prefix lies here.
  template <typename Use>
  void each(Use&& use) const {
    const char* prefix = at_ + prefixes_begin(head_.ranks);
    for (std::uint32_t place = 0; place < head_.ranks; ++place) {
      Entry one;
      std::memcpy(&one, at_ + sizeof head_ + place * sizeof one, sizeof one);
      use(MulticastPart{one.to, {prefix, one.bytes}});
      prefix += one.bytes;
    }
  }

private:
  struct Head {
    std::uint64_t bytes = 0; ///< that all have in common
    std::uint32_t ranks = 0;
    std::uint32_t begin = 0; ///< of these
  };
  struct Entry {
    Rank to = 0;
    std::uint32_t bytes = 0; ///< of its prefix
  };
  static_assert(sizeof(Head) == 16 && sizeof(Entry) == 8);
  static std::size_t prefixes_begin(std::size_t ranks) {
    return sizeof(Head) + (ranks + 1) / 2 * (2 * sizeof(Entry));
  }

  const char* at_;
  Head head_;
};

class KeptMulticasts {
public:
  /// Place for what the parts have in common.
  char* add(std::span<const MulticastPart> parts, std::size_t bytes) {
    return Multicast::write(all_.add(Multicast::size(parts, bytes)), parts, bytes);
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

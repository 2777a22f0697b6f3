// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Calls that wait in an iteration of brackets: those for one rank each, by that rank, and those for several.
// Memory is used again: what it takes to find and to fill a group is neither a search nor an allocation. What
// several ranks have in common is there once, and travels once on each way that some of them share. What
// stands before it is each rank's own.

#include "base/assertion.hpp"
#include "base/rank.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

namespace thalweg::objects {

/// Bytes that are written once, one behind the other, into memory that grows.
class GrowingBuffer {
public:
  /// Place for so many more. Places before move.
  char* add(std::size_t bytes) {
    if (size_ + bytes > room_)
      grow(size_ + bytes);
    char* const at = memory_.get() + size_;
    size_ += bytes;
    return at;
  }
  /// Its memory is kept.
  void clear() { size_ = 0; }
  char* begin() { return memory_.get(); }
  std::size_t size() const { return size_; }
  std::span<const char> bytes() const { return {memory_.get(), size_}; }

private:
  void grow(std::size_t min_bytes) {
    constexpr std::size_t first = 512;
    room_ = std::max({min_bytes, 2 * room_, first});
    std::unique_ptr<char[]> larger(new char[room_]);
    if (size_ != 0)
      std::memcpy(larger.get(), memory_.get(), size_);
    memory_ = std::move(larger);
  }

  std::unique_ptr<char[]> memory_;
  std::size_t size_ = 0;
  std::size_t room_ = 0;
};

/// Stands before the messages for a rank.
struct GroupHead {
  std::uint64_t bytes = 0;
  Rank destination = 0;
  std::uint32_t sources = 0; ///< ranks whose messages these are
};
static_assert(sizeof(GroupHead) == 16);

/// Messages by the ranks that they are for.
class KeptGroups {
public:
  class Group {
  public:
    Rank destination() const { return destination_; }
    std::uint64_t bytes() const { return messages_.size(); }
    bool is_empty() const { return messages_.size() == 0; }
    /// Place for so many more bytes, which come from so many ranks that were not there yet.
    char* add(std::size_t bytes, std::uint32_t sources) {
      if (is_empty())
        messages_.add(sizeof(GroupHead));
      sources_ += sources;
      return messages_.add(bytes);
    }
    /// With the head before them.
    std::span<const char> sealed() { return sealed(destination_); }
    /// For another destination than it was found by.
    std::span<const char> sealed(Rank destination) {
      THALWEG_ASSERT(light, !is_empty());
      const GroupHead head{messages_.size() - sizeof(GroupHead), destination, sources_};
      std::memcpy(messages_.begin(), &head, sizeof head);
      return messages_.bytes();
    }
    void clear() {
      messages_.clear();
      sources_ = 0;
    }

  private:
    friend class KeptGroups;
    Rank destination_ = 0;
    std::uint32_t sources_ = 0;
    GrowingBuffer messages_;
  };

  explicit KeptGroups(std::int32_t ranks) : places_(static_cast<std::size_t>(ranks), nowhere) {}

  Group& of(Rank destination) {
    THALWEG_ASSERT(light, destination >= 0 && static_cast<std::size_t>(destination) < places_.size());
    std::uint32_t& place = places_[static_cast<std::size_t>(destination)];
    if (place == nowhere) {
      place = used_++;
      if (place == groups_.size())
        groups_.emplace_back();
      groups_[place].destination_ = destination;
    }
    return groups_[place];
  }
  /// The same, but a new one behind it where it has so many bytes that it would exceed the most.
  Group& with_room(Rank destination, std::size_t bytes, std::size_t bytes_max) {
    Group& last = of(destination);
    if (last.is_empty() || last.bytes() + bytes <= bytes_max)
      return last;
    places_[static_cast<std::size_t>(destination)] = nowhere;
    return of(destination);
  }
  /// Those that were asked for, in that order; some may be empty.
  std::span<Group> all() { return {groups_.data(), used_}; }
  std::span<const Group> all() const { return {groups_.data(), used_}; }
  void clear() {
    for (Group& one : all()) {
      places_[static_cast<std::size_t>(one.destination_)] = nowhere;
      one.clear();
    }
    used_ = 0;
  }

private:
  static constexpr std::uint32_t nowhere = 0xFFFFFFFF;

  std::vector<std::uint32_t> places_; ///< by destination
  std::vector<Group> groups_;
  std::uint32_t used_ = 0;
};

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
    THALWEG_ASSERT(light, !parts.empty() && (prefix - at) % 16 == 0);
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

/// Those of an iteration, one behind the other.
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
      THALWEG_ASSERT(light, one.size() <= all.size());
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

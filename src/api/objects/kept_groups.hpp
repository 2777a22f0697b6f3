// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Messages that wait in an iteration of brackets, by the ranks that they are for. Memory is used again: what
// it takes to find and to fill a group is neither a search nor an allocation.

#include "base/rank.hpp"
#include "objects/growing_buffer.hpp"

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace thalweg::objects {

/// Stands before the messages for a rank.
struct GroupHead {
  std::uint64_t bytes = 0;
  Rank destination = 0;
  std::uint32_t sources = 0; ///< ranks whose messages these are
};
static_assert(sizeof(GroupHead) == 16);

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

  std::vector<std::uint32_t> places_; // by destination
  std::vector<Group> groups_;
  std::uint32_t used_ = 0;
};

} // namespace thalweg::objects

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Memory for one group of a node's processes after the other. To make a segment, to map it and to use its
// pages for the first time takes as long as dozens of messages, and programs make communicators by the
// thousand. So a segment has parts, which its processes take and give back.

#include "transport/shm/segment.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace thalweg::transport {

/// A segment in parts of equal size. The group that made it has part 0, and groups of its processes take
/// others.
class Arena : public std::enable_shared_from_this<Arena> {
public:
  /// How many parts this process would give an arena, and the bytes of its segment then.
  static std::size_t usual_parts(std::size_t part_bytes);
  static std::size_t bytes_for(std::size_t part_bytes, std::size_t parts);

  /// Each of the processes that have just made the segment together, of bytes_for(part_bytes, parts) zeros,
  /// calls this once.
  static std::shared_ptr<Arena> of(std::shared_ptr<Segment> segment, std::size_t part_bytes,
                                   std::int32_t processes);

  /// The same on all of its processes, and unlike any other's.
  std::uint64_t name() const { return segment_->cookie(); }
  std::size_t part_bytes() const { return part_bytes_; }
  std::int32_t processes() const { return processes_; }

  /// A free part for a group of so many of its processes; nothing where all are taken. One of the group calls
  /// this, and tells the others the number.
  std::optional<std::uint32_t> take(std::int32_t users);
  /// The part's zeros. Each process of the group calls this once, and `kept` is the same on all of them: the
  /// bytes that every group uses, whose pages stay. Others go back to the system once all have let the memory
  /// go; then the part is free.
  std::shared_ptr<std::byte> part(std::uint32_t number, std::size_t kept);

  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

private:
  struct PartUse;
  Arena(std::shared_ptr<Segment> segment, std::size_t part_bytes, std::int32_t processes);
  PartUse& use(std::uint32_t number) const;
  std::byte* memory(std::uint32_t number) const;
  void let_go(std::uint32_t number, std::size_t kept) const;

  std::shared_ptr<Segment> segment_;
  std::size_t part_bytes_; // whole pages
  std::uint32_t parts_;
  std::int32_t processes_;
};

} // namespace thalweg::transport

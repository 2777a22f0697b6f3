// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Memory that the processes of a node share, and what groups of them take of it.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace thalweg::transport {

inline constexpr std::size_t cache_line = 64; ///< bytes that go from core to core together

/// Where a segment is found; may be sent to other processes as bytes.
struct SegmentAddress {
  std::uint64_t bytes = 0;
  std::uint64_t cookie = 0; ///< of the segment, so that a stranger's descriptor is not taken for it
  std::int32_t process = 0; ///< as this process sees itself
  std::int32_t descriptor = -1;
};

/// Memory that processes share. It has no name: one process makes it and keeps a descriptor open until the
/// others have opened it through /proc, so that nothing is left behind, however processes end.
class Segment {
public:
  /// Makes `bytes` of zeros. Throws Error where the system refuses.
  static std::unique_ptr<Segment> make(std::size_t bytes);
  /// Opens another process's segment. Throws Error where that is not allowed (another user, another
  /// container) or what is there is something else.
  static std::unique_ptr<Segment> open(const SegmentAddress& address);

  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  /// Good in the process that made it, until close_door().
  const SegmentAddress& address() const { return address_; }
  /// Nobody can open it any more.
  void close_door();

  /// Aligned to pages.
  std::byte* memory() const { return memory_ + header_bytes; }
  std::size_t bytes() const { return address_.bytes; }
  /// The same in all processes that have it, and unlike any other's.
  std::uint64_t cookie() const { return address_.cookie; }

private:
  Segment() = default;
  void map(int descriptor);

  static constexpr std::size_t header_bytes = 4096; ///< holds the cookie

  SegmentAddress address_;
  std::byte* memory_ = nullptr;
};

/// A segment in parts of equal size, for one group of a node's processes after the other. The group that made
/// it has part 0, and groups of its processes take others. To make a segment, to map it and to use its pages
/// for the first time takes as long as dozens of messages, and programs make communicators by the thousand.
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
  std::size_t part_bytes_; ///< whole pages
  std::uint32_t parts_;
  std::int32_t processes_;
};

} // namespace thalweg::transport

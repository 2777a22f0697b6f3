// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Memory that the processes of a node share. It has no name: one process makes it and keeps a descriptor open
// until the others have opened it through /proc, so that nothing is left behind, however processes end.

#include <cstddef>
#include <cstdint>
#include <memory>

namespace thalweg::transport {

/// Where a segment is found; may be sent to other processes as bytes.
struct SegmentAddress {
  std::uint64_t bytes = 0;
  std::uint64_t cookie = 0; ///< of the segment, so that a stranger's descriptor is not taken for it
  std::int32_t process = 0; ///< as this process sees itself
  std::int32_t descriptor = -1;
};

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

} // namespace thalweg::transport

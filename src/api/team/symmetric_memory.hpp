// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Symmetric memory: as many bytes on every rank of a team. Ranks of a node have theirs in one segment, so
// that each reaches the others' by loads and stores.

#include "job/library/group.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace thalweg::teams {

class Allocation {
public:
  /// Collective. Ranks number alike what they allocate.
  Allocation(job::Group& group, std::size_t bytes, std::uint32_t number);
  ~Allocation();
  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;

  std::byte* begin() const { return own_; }
  std::size_t bytes() const { return bytes_; }
  std::uint32_t number() const { return number_; }
  bool holds(const void* address) const {
    const auto* place = static_cast<const std::byte*>(address);
    return place >= own_ && place < own_ + bytes_;
  }
  /// Where the near rank's own memory begins; nullptr where it cannot be reached.
  std::byte* of_near(Rank near_rank) const;
  /// The same of any rank, this one's own included.
  std::byte* of(const job::Group& group, Rank rank) const;
  /// Are there ranks whose memory cannot be reached? The same on all ranks.
  bool has_unreachable(const job::Group& group) const {
    return group.has_far_ranks() || (group.near_ranks() > 1 && !segment_);
  }

private:
  std::size_t bytes_;
  std::uint32_t number_;
  std::size_t stride_; ///< between ranks
  std::shared_ptr<transport::Segment> segment_;
  std::unique_ptr<std::byte[], void (*)(std::byte*)> private_;
  std::byte* own_;
};

/// Is any of these bytes in what a team of the process has allocated, so that others may reach it?
bool is_symmetric(const void* begin, std::size_t bytes);

/// What a team has allocated.
class SymmetricMemory {
public:
  const Allocation& allocate(job::Group& group, std::size_t bytes);
  /// Throws Error where nothing begins there.
  void release(const void* begin);
  /// The allocation that holds the address, or nullptr.
  const Allocation* find(const void* address) const {
    for (const auto& one : allocations_)
      if (one->holds(address))
        return one.get();
    return nullptr;
  }
  const Allocation* find(std::uint32_t number) const;
  /// A place that another rank has named. Throws Error where it is none.
  std::byte* place_of(std::uint32_t number, std::uint64_t offset) const;

private:
  std::vector<std::unique_ptr<Allocation>> allocations_;
  std::uint32_t allocated_ = 0; ///< ever
};

} // namespace thalweg::teams

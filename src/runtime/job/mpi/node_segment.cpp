// SPDX-License-Identifier: BSD-3-Clause
#include "job/mpi/node_segment.hpp"

#include "base/assertion.hpp"
#include "base/of_process.hpp"
#include "transport/shm/segment.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <fmt/format.h>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

namespace thalweg::job {

namespace {

using transport::Arena;
using transport::Segment;
using transport::SegmentAddress;

/// Why a rank could not take part; empty where it could.
using Failure = std::array<char, 256>;

Failure failure_of(const std::exception& error) {
  Failure failure{};
  const std::string_view text = error.what();
  text.copy(failure.data(), failure.size() - 1);
  if (text.empty())
    failure.front() = '?';
  return failure;
}

} // namespace

// The first member makes the segment; an address without bytes says that it could not.
NodeSegment share_segment(const Agreement& node, std::size_t bytes) {
  std::unique_ptr<Segment> segment;
  SegmentAddress address;
  Failure failure{};
  const auto attempt = [&](auto make) {
    try {
      segment = make();
    } catch (const std::exception& error) {
      failure = failure_of(error);
    }
  };
  if (node.own() == 0) {
    attempt([&] { return Segment::make(bytes); });
    if (segment)
      address = segment->address();
  }
  node.broadcast(address);
  if (node.own() != 0 && address.bytes > 0)
    attempt([&] { return Segment::open(address); });
  const std::vector<Failure> failures = node.allgather(failure);
  for (std::size_t member = 0; member < failures.size(); ++member)
    if (failures[member].front() != 0)
      return {nullptr, fmt::format("rank {}: {}", node.rank_of(member), failures[member].data())};
  THALWEG_ASSERT(light, segment && segment->bytes() == bytes); // nobody has failed
  segment->close_door();
  return {std::move(segment), {}};
}

namespace {

/// What this process shares with the largest group that it has been in, of whose arenas the latest one.
class KnownArena {
public:
  std::shared_ptr<Arena> get() {
    const std::lock_guard lock(mutex_);
    return arena_;
  }
  void offer(std::shared_ptr<Arena> made) {
    const std::lock_guard lock(mutex_);
    if (!arena_ || arena_->processes() <= made->processes())
      arena_ = std::move(made);
  }

private:
  std::mutex mutex_;
  std::shared_ptr<Arena> arena_;
};

/// What the members have shared before.
struct CommonArena {
  std::shared_ptr<Arena>
      arena;             ///< that all of them know, with parts that are large enough; null if there is none
  std::size_t parts = 1; ///< that one to be made should have
};

CommonArena common_arena(const Agreement& node, std::size_t bytes) {
  struct Known {
    std::uint64_t name;
    std::uint64_t parts;
    std::int32_t processes;
  };
  std::shared_ptr<Arena> arena = of_process<KnownArena>().get();
  const Known own = {arena ? arena->name() : 0, Arena::usual_parts(bytes), arena ? arena->processes() : 0};
  CommonArena common{.arena = nullptr, .parts = own.parts};
  bool is_common = arena != nullptr && arena->part_bytes() >= bytes;
  for (const Known& known : node.allgather(own)) {
    is_common &= known.name == own.name;
    // Who knows one of more processes keeps to that, and takes no part of another.
    common.parts = std::min(common.parts, known.processes <= node.count() ? known.parts : 1);
  }
  if (is_common)
    common.arena = std::move(arena);
  return common;
}

std::shared_ptr<std::byte> take_part(const Agreement& node, Arena& arena, std::size_t kept) {
  std::optional<std::uint32_t> part;
  if (node.own() == 0)
    part = arena.take(node.count());
  node.broadcast(part);
  return part ? arena.part(*part, kept) : nullptr;
}

} // namespace

NodeMemory share_memory(const Agreement& node, std::size_t bytes, std::size_t kept) {
  const CommonArena common = common_arena(node, bytes);
  if (common.arena)
    if (std::shared_ptr<std::byte> memory = take_part(node, *common.arena, kept))
      return {std::move(memory), {}};
  // The system may have no room for more than one part.
  for (std::size_t parts = common.parts;; parts = 1) {
    NodeSegment shared = share_segment(node, Arena::bytes_for(bytes, parts));
    if (shared.segment) {
      const std::shared_ptr<Arena> arena = Arena::of(std::move(shared.segment), bytes, node.count());
      of_process<KnownArena>().offer(arena);
      return {arena->part(0, kept), {}};
    }
    if (parts == 1)
      return {nullptr, std::move(shared.reason)};
  }
}

} // namespace thalweg::job

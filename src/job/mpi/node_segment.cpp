#include "job/mpi/node_segment.hpp"

#include <array>
#include <exception>
#include <fmt/format.h>
#include <string_view>

namespace thalweg::job {

namespace {

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
NodeSegment share_segment(const Agreement& node, std::size_t bytes, std::size_t prepared) {
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
    attempt([&] { return Segment::make(bytes, prepared); });
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
  segment->close_door();
  return {std::move(segment), {}};
}

} // namespace thalweg::job

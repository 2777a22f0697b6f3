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
using Complaint = std::array<char, 256>;

Complaint complaint_of(const std::exception& error) {
  Complaint complaint{};
  const std::string_view text = error.what();
  text.copy(complaint.data(), complaint.size() - 1);
  if (text.empty())
    complaint.front() = '?';
  return complaint;
}

} // namespace

// The first member makes the segment; an address without bytes says that it could not.
NodeSegment share_segment(const Agreement& node, std::size_t bytes, std::size_t prepared) {
  std::unique_ptr<Segment> segment;
  SegmentAddress address;
  Complaint complaint{};
  const auto attempt = [&](auto make) {
    try {
      segment = make();
    } catch (const std::exception& error) {
      complaint = complaint_of(error);
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
  const std::vector<Complaint> complaints = node.allgather(complaint);
  for (std::size_t member = 0; member < complaints.size(); ++member)
    if (complaints[member].front() != 0)
      return {nullptr, fmt::format("rank {}: {}", node.rank_of(member), complaints[member].data())};
  segment->close_door();
  return {std::move(segment), {}};
}

} // namespace thalweg::job

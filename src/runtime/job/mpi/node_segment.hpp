// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Memory that the ranks of a node share.

#include "job/mpi/agreement.hpp"
#include "transport/shm/segment.hpp"

#include <memory>
#include <string>

namespace thalweg::job {

/// For a group's channels: zeros, aligned to pages.
struct NodeMemory {
  std::shared_ptr<std::byte> memory; ///< null, on all ranks of the node, where they cannot share it
  std::string reason;                ///< why not, as a segment's
};

/// Made by all members of `node` together, from what they have shared before where they can. The first `kept`
/// bytes are mapped at once. It is free for later groups once all members have let it go.
NodeMemory share_memory(const Agreement& node, std::size_t bytes, std::size_t kept);

struct NodeSegment {
  std::shared_ptr<transport::Segment>
      segment;        ///< null, on all ranks of the node, where they cannot share one
  std::string reason; ///< why not: the first rank that could not, and what it was told
};

/// Made by all members of `node` together, the ranks of one node.
NodeSegment share_segment(const Agreement& node, std::size_t bytes);

} // namespace thalweg::job

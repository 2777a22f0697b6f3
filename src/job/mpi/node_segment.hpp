#pragma once

// Memory that the ranks of a node share.

#include "job/mpi/agreement.hpp"
#include "transport/shm/segment.hpp"

#include <memory>
#include <string>

namespace thalweg::job {

struct NodeSegment {
  std::shared_ptr<transport::Segment>
      segment;        ///< null, on all ranks of the node, where they cannot share one
  std::string reason; ///< why not: the first rank that could not, and what it was told
};

/// Made by all members of `node` together, the ranks of one node. The first `prepared` bytes are mapped at
/// once.
NodeSegment share_segment(const Agreement& node, std::size_t bytes, std::size_t prepared = 0);

} // namespace thalweg::job

#pragma once

// The memory that a communicator's ranks on a node share, through which they send each other messages.

#include <memory>
#include <vector>

#include "mpi/native.hpp"
#include "transport/shm/segment.hpp"
#include "transport/waiting.hpp"

namespace thalweg::mpi {

struct CommunicatorState;

struct NodeMemory {
  std::shared_ptr<transport::Segment> segment; // collectives under way keep it when the communicator is freed
  std::vector<int> members;                    // ranks of the communicator on this node, in order
  int rank = 0;                                // this process among them
};

// Made by all ranks of the communicator in the same blocking call, once it has its hidden duplicate; nullptr,
// the same on all ranks of the node, where there is nothing to share or the system does not allow it.
std::unique_ptr<NodeMemory> share_node_memory(CommunicatorState& communicator);

// How to wait for messages that come through memory: the library must go on meanwhile, as other ranks may be
// waiting for something of it from this one.. `hidden` is borrowed.
transport::Waiting node_waiting(MPI_Comm& hidden);

} // namespace thalweg::mpi

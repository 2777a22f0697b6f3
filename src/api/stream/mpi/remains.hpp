// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a stream leaves behind where messages go through the library. Ranks free a stream when they like, and
// what others have sent in a phase that has not ended may come later. If its communicator were gone by then,
// the library would take such a message for one of a later communicator of the same number. So ranks tell
// each other how many messages they have sent, take all of them in, and only then free the communicator.
// Nobody waits for that.

#include "job/mpi/shadow_communicator.hpp"
#include "stream/mpi/mpi_remote.hpp"
#include "transport/shm/segment.hpp"

#include <memory>

namespace thalweg::streams {

/// In the order in which they depend on each other.
struct Remains {
  std::shared_ptr<job::ShadowCommunicator> communicator;
  std::shared_ptr<transport::Segment> memory; ///< which the library still sends from
  std::unique_ptr<MessageCounts> counts;
  std::unique_ptr<MpiRemote> remote;
};

/// Keeps them until all messages have come; mostly they have within a few looks. Not collective, but all
/// ranks of the communicator do so once.
void leave_behind(Remains remains);
/// Looks whether any can go by now. To be called before communicators are made.
void look_after_remains();

} // namespace thalweg::streams

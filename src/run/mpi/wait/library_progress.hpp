// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Blocking calls wait inside of the library, which calls its progress over and over. Where ranks wait by
// yielding, a function of ours in front of it gives the core away when it was called in vain: by
// ucp_worker_progress in MPICH on UCX, by opal_progress in Open MPI. So calls stay the ones that the program
// made. Libraries that have neither leave us the nonblocking forms (polling.hpp). Operations of ours that are
// in flight go on there as well. They start and test messages of the library there, as the libraries' own
// nonblocking collectives do.

namespace thalweg::mpi {

/// Does this library's progress come to our function, and can that tell whether it was in vain? Asked once
/// messages have been received.
bool progress_comes_here();

/// From now on ranks yield there.
void yield_in_progress();

/// May operations of ours go on there?
bool may_execute_in_progress();

/// Inside of sched_yield: the library's progress found nothing, and leaves the rest to our function.
bool progress_was_in_vain();

} // namespace thalweg::mpi

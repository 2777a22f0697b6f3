// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A communicator of the same processes in another order.

#include "mpi/comm/communicators.hpp"
#include "pattern/matrix.hpp"
#include "place/mapping.hpp"

#include <optional>
#include <vector>

namespace thalweg::mpi {

/// May ranks of the communicator be numbered anew where the program allows it? The same on all of them.
bool may_reorder(MPI_Comm comm, int reorder);

/// Every rank's numbers, one after the other, on the first rank of the communicator. Called by all of it.
std::vector<int> gathered(MPI_Comm comm, const std::vector<int>& own);

/// The slot (old rank) of each new rank, by what they send each other; empty where ranks stay, for that is as
/// good as surely. `edges` count on the first rank alone, where nothing means that they are not sound. Called
/// by all of the communicator, for which may_reorder(); the same on all.
place::Slots agreed_order(MPI_Comm comm, const std::optional<std::vector<pattern::Edge>>& edges);

/// The communicator in that order, to be freed; MPI_COMM_NULL where it cannot be made. Called by all.
MPI_Comm in_order(MPI_Comm comm, const place::Slots& order);

} // namespace thalweg::mpi

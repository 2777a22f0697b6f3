// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/options.hpp"

#include <functional>
#include <mpi.h>
#include <string_view>

namespace thalweg::examples {

/// A communicator with what everybody asks of it.
struct Group {
  MPI_Comm communicator = MPI_COMM_NULL;
  int rank = 0;
  int ranks = 1;
};

/// What `communicator` looks like from this rank.
Group group_of(MPI_Comm communicator);

/// The whole life of an example: starts MPI, reads the command line, calls `body` with the world, ends MPI.
/// `body` returns whether the program's own checks passed. The result is the exit status: 0 for right, 1 for
/// wrong, 2 for a bad command line (explained on rank 0's stderr). Any other exception aborts the job with
/// its text.
int run_example(int argc, char** argv, Options& options,
                std::function<bool(Group const&, Options const&)> const& body);

} // namespace thalweg::examples

// SPDX-License-Identifier: BSD-3-Clause
#include "common/mpi_session.hpp"

#include <cstdio>
#include <exception>
#include <fmt/format.h>

namespace thalweg::examples {
namespace {

/// Every rank reads the same command line, so every rank finds the same fault and all leave in order.
int refuse(Group const& world, Options const& options, char const* program, OptionError const& error) {
  if (world.rank == 0) {
    fmt::print(stderr, "{}: {}\n{}", program, error.what(), options.usage(program));
  }
  MPI_Finalize();
  return 2;
}

} // namespace

Group group_of(MPI_Comm communicator) {
  Group group{communicator};
  MPI_Comm_rank(communicator, &group.rank);
  MPI_Comm_size(communicator, &group.ranks);
  return group;
}

int run_example(int argc, char** argv, Options& options,
                std::function<bool(Group const&, Options const&)> const& body) {
  MPI_Init(&argc, &argv);
  Group const world = group_of(MPI_COMM_WORLD);
  bool right = false;
  try {
    options.read(argc, argv);
    right = body(world, options);
  } catch (OptionError const& error) {
    return refuse(world, options, argv[0], error);
  } catch (std::exception const& error) {
    fmt::print(stderr, "{}: rank {}: {}\n", argv[0], world.rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  MPI_Finalize();
  return right ? 0 : 1;
}

} // namespace thalweg::examples

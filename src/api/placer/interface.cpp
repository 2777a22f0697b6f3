// SPDX-License-Identifier: BSD-3-Clause

// The C interface (thalweg/place.h).

#include "boundary/guarded.hpp"
#include "job/library/mpi_library.hpp"
#include "placer/reordering.hpp"
#include "placer/structures.hpp"

using thalweg::boundary::Caller;
using thalweg::boundary::guarded;
using thalweg::boundary::must_be_given;

namespace {

/// Whoever asks, as far as there is an MPI to tell.
Caller caller(MPI_Comm communicator) {
  Caller caller{.call = "reorder"};
  if (communicator != MPI_COMM_NULL && thalweg::job::mpi_runs()) {
    PMPI_Comm_rank(communicator, &caller.rank);
    PMPI_Comm_size(communicator, &caller.ranks);
  }
  return caller;
}

} // namespace

thalweg_status thalweg_reorder(MPI_Comm communicator, const thalweg_weight* weights, size_t count,
                               const thalweg_reorder_options* options, MPI_Comm* reordered,
                               thalweg_reordering* found) {
  return guarded(caller(communicator), [&] {
    must_be_given(reordered, "reordered");
    *reordered = MPI_COMM_NULL;
    if (count > 0)
      must_be_given(weights, "weights");
    thalweg::boundary::must_take_result(found);
    const thalweg_reorder_options defaults;
    const thalweg::job::Group group(thalweg::job::duplicate(communicator, "order"), nullptr, false);
    const thalweg::place::Reordering result =
        thalweg::place::reorder(group, {weights, count}, options == nullptr ? defaults : *options);
    // The name that tools and interposers see: it is the program's communicator.
    thalweg::job::must(MPI_Comm_split(communicator, 0, result.new_rank, reordered), "MPI_Comm_split");
    thalweg::boundary::give_result(result.found, found);
  });
}

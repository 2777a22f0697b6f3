// The C interface (thalweg/place.h).

#include "boundary/guarded.hpp"
#include "core/error.hpp"
#include "job/linked/communicator.hpp"
#include "job/linked/mpi_calls.hpp"
#include "job/linked/mpi_state.hpp"
#include "place/linked/reordering.hpp"

#include <algorithm>
#include <cstring>

using thalweg::Error;
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

/// As many fields as the caller knows.
void write(thalweg_reordering found, thalweg_reordering* to) {
  if (to == nullptr)
    return;
  found.size = std::min(to->size, sizeof found);
  std::memcpy(to, &found, found.size);
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
    if (found != nullptr && found->size < sizeof found->size)
      throw Error("a result without a size", "set size to sizeof(thalweg_reordering) before the call");
    const thalweg_reorder_options defaults = THALWEG_REORDER_DEFAULTS;
    const thalweg::job::Group group(thalweg::job::duplicate(communicator, "order"), nullptr, false);
    const thalweg::place::Reordering result =
        thalweg::place::reorder(group, {weights, count}, options == nullptr ? defaults : *options);
    // The name that tools and interposers see: it is the program's communicator.
    thalweg::job::must(MPI_Comm_split(communicator, 0, result.new_rank, reordered), "MPI_Comm_split");
    write(result.found, found);
  });
}

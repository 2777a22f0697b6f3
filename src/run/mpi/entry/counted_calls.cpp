// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/entry/counted_calls.hpp"

#include "base/assertion.hpp"
#include "mpi/call/datatypes.hpp"
#include "mpi/comm/communicators.hpp"

namespace thalweg::mpi {

void remember_counted(Function function, const CallSite& site, MPI_Comm comm, MPI_Datatype datatype,
                      observe::CallRow& row) {
  THALWEG_ASSERT(normal, row.key.function == static_cast<std::uint16_t>(function));
  const std::uint64_t passage = process.passage.now();
  if (!Passage::is(passage, Way::counted) || !observe::is_own_caller(site) ||
      (looks_only(function) && runtime.wait.yields))
    return;
  if (comm != MPI_COMM_NULL && find_communicator(comm) == nullptr)
    return; // the handle may come to be one, of which nobody would hear
  CountedPlace place{.tag = place_tag(site.return_address, function),
                     .passage = passage,
                     .comm = comm == MPI_COMM_NULL ? MPI_Comm{} : comm,
                     .size = &row.counts.size_of(0),
                     .row = &row};
  if (datatype != MPI_Datatype{} && is_size_known(datatype)) {
    place.datatype = datatype;
    place.unit = datatype_bytes(datatype);
  }
  PerThread<CountedPlaces>::own()[counted_place(site.return_address, place.comm)] = place;
}

} // namespace thalweg::mpi

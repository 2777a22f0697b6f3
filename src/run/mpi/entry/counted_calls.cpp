// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/entry/counted_calls.hpp"

#include "base/assertion.hpp"
#include "mpi/call/datatypes.hpp"

namespace thalweg::mpi {

void remember_counted(Function function, const CallSite& site, MPI_Comm comm, observe::CallRow& row) {
  const std::uint64_t passage = process.passage.now();
  if (!Passage::is(passage, Way::counted) || !observe::is_own_caller(site) ||
      (looks_only(function) && runtime.wait.yields))
    return;
  const MPI_Comm named = comm == MPI_COMM_NULL ? MPI_Comm{} : comm;
  PerThread<CountedPlaces>::own()[counted_place(site.return_address, named)] = {
      .tag = place_tag(site.return_address, function),
      .passage = passage,
      .comm = named,
      .size = &row.counts.size_of(0),
      .row = &row};
}

void count_other_payload(CountedPlace& place, MPI_Count count, MPI_Datatype datatype) {
  THALWEG_ASSERT(light, place.row != nullptr);
  place.bytes = bytes_of(count, datatype);
  place.size = &place.row->counts.size_of(place.bytes);
  place.size->add(place.bytes);
  // Handles of types that the program makes may become others'.
  const bool is_for_good = count > 0 && is_size_known(datatype);
  place.datatype = datatype;
  place.count = is_for_good ? count : CountedPlace::no_count;
}

} // namespace thalweg::mpi

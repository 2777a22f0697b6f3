// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/call/datatypes.hpp"

#include "mpi/comm/own_communicator.hpp"

namespace thalweg::mpi {

bool is_valid_type(MPI_Datatype datatype) {
  if (datatype == MPI_DATATYPE_NULL)
    return false;
  const MPI_Comm own = own_communicator();
  if (is_size_known(datatype) || own == MPI_COMM_NULL)
    return true;
  const char unread = 0; // MPICH does not look at the datatype of no elements
  return native.Send(&unread, 1, datatype, MPI_PROC_NULL, 0, own) == MPI_SUCCESS;
}

bool is_predefined_type(MPI_Datatype datatype) {
  int integers = 0;
  int addresses = 0;
  int datatypes = 0;
  int combiner = 0;
  return datatype != MPI_DATATYPE_NULL &&
         native.Type_get_envelope(datatype, &integers, &addresses, &datatypes, &combiner) == MPI_SUCCESS &&
         combiner == MPI_COMBINER_NAMED;
}

std::uint64_t ask_datatype_bytes(MPI_Datatype datatype) {
  if (!is_valid_type(datatype)) {
    return 0;
  }
  MPI_Count size = 0;
  if (native.Type_size_x(datatype, &size) != MPI_SUCCESS || size < 0) {
    return 0;
  }
  if (is_predefined_type(datatype)) {
    PerThread<CachedSizes>::own()[cached_size_place(datatype)] = {datatype, static_cast<std::uint64_t>(size),
                                                                  true};
  }
  return static_cast<std::uint64_t>(size);
}

bool are_elements_regular(MPI_Datatype type) {
  if (!is_valid_type(type))
    return true; // the library says what is wrong with it, by whatever form
  MPI_Aint low = 0;
  MPI_Aint extent = 0;
  MPI_Aint true_low = 0;
  MPI_Aint true_extent = 0;
  native.Type_get_extent(type, &low, &extent);
  native.Type_get_true_extent(type, &true_low, &true_extent);
  return low == 0 && true_low >= 0 && extent > 0 && true_low + true_extent <= extent;
}

} // namespace thalweg::mpi

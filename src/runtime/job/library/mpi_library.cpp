// SPDX-License-Identifier: BSD-3-Clause
#include "job/library/mpi_library.hpp"

namespace thalweg::job {

// The profiling names, so that a tool which counts the program's calls does not count ours.
const transport::MpiApi& library_api() {
  static const transport::MpiApi api{
      .isend = PMPI_Isend,
      .issend = PMPI_Issend,
      .irecv = PMPI_Irecv,
      .send = PMPI_Send,
      .recv = PMPI_Recv,
      .sendrecv = PMPI_Sendrecv,
      .waitall = PMPI_Waitall,
      .waitsome = PMPI_Waitsome,
      .test = PMPI_Test,
      .testsome = PMPI_Testsome,
      .testall = PMPI_Testall,
      .iprobe = PMPI_Iprobe,
      .get_count = PMPI_Get_count,
      .cancel = PMPI_Cancel,
      .request_free = PMPI_Request_free,
      .comm_rank = PMPI_Comm_rank,
      .comm_size = PMPI_Comm_size,
      .comm_group = PMPI_Comm_group,
      .comm_create = PMPI_Comm_create,
      .comm_create_group = PMPI_Comm_create_group,
      .comm_free = PMPI_Comm_free,
      .comm_set_errhandler = PMPI_Comm_set_errhandler,
      .comm_get_errhandler = PMPI_Comm_get_errhandler,
      .errhandler_free = PMPI_Errhandler_free,
      .comm_get_attr = PMPI_Comm_get_attr,
      .group_free = PMPI_Group_free,
      .type_contiguous = PMPI_Type_contiguous,
      .type_create_struct = PMPI_Type_create_struct,
      .type_commit = PMPI_Type_commit,
      .type_free = PMPI_Type_free,
      .op_commutative = PMPI_Op_commutative,
      .reduce_local = PMPI_Reduce_local,
      .get_library_version = PMPI_Get_library_version,
      .finalized = PMPI_Finalized,
      .byte = MPI_BYTE,
      .request_null = MPI_REQUEST_NULL,
      .comm_null = MPI_COMM_NULL,
      .errors_return = MPI_ERRORS_RETURN,
      .errors_are_fatal = MPI_ERRORS_ARE_FATAL,
  };
  return api;
}

const PredefinedOperators& library_operators() {
  static const PredefinedOperators operators = predefined_operators();
  return operators;
}

} // namespace thalweg::job

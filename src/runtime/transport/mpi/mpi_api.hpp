// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The MPI library as a table: every function and handle that is used below the interposer.
//
// Inside of the interposer the names PMPI_… are its own, and handles that the library defines are only known
// once it has been found. So nothing that is compiled once for a family of libraries may name them; it is
// given this table.

#include <mpi.h>

namespace thalweg::transport {

struct MpiApi {
  decltype(&PMPI_Isend) isend;
  decltype(&PMPI_Issend) issend;
  decltype(&PMPI_Irecv) irecv;
  decltype(&PMPI_Send) send;
  decltype(&PMPI_Recv) recv;
  decltype(&PMPI_Sendrecv) sendrecv;
  decltype(&PMPI_Waitall) waitall;
  decltype(&PMPI_Waitsome) waitsome;
  decltype(&PMPI_Test) test;
  decltype(&PMPI_Testsome) testsome;
  decltype(&PMPI_Testall) testall;
  decltype(&PMPI_Iprobe) iprobe;
  decltype(&PMPI_Get_count) get_count;
  decltype(&PMPI_Cancel) cancel;
  decltype(&PMPI_Request_free) request_free;

  decltype(&PMPI_Comm_rank) comm_rank;
  decltype(&PMPI_Comm_size) comm_size;
  decltype(&PMPI_Comm_group) comm_group;
  decltype(&PMPI_Comm_create) comm_create;
  decltype(&PMPI_Comm_create_group) comm_create_group;
  decltype(&PMPI_Comm_free) comm_free;
  decltype(&PMPI_Comm_set_errhandler) comm_set_errhandler;
  decltype(&PMPI_Comm_get_errhandler) comm_get_errhandler;
  decltype(&PMPI_Errhandler_free) errhandler_free;
  decltype(&PMPI_Comm_get_attr) comm_get_attr;
  decltype(&PMPI_Group_incl) group_incl;
  decltype(&PMPI_Group_free) group_free;

  decltype(&PMPI_Type_contiguous) type_contiguous;
  decltype(&PMPI_Type_create_struct) type_create_struct;
  decltype(&PMPI_Type_commit) type_commit;
  decltype(&PMPI_Type_free) type_free;
  decltype(&PMPI_Op_commutative) op_commutative;
  decltype(&PMPI_Reduce_local) reduce_local;

  decltype(&PMPI_Get_library_version) get_library_version;
  decltype(&PMPI_Finalized) finalized;

  MPI_Datatype byte;
  MPI_Request request_null;
  MPI_Comm comm_null;
  MPI_Errhandler errors_return;
  MPI_Errhandler errors_are_fatal;
};

} // namespace thalweg::transport

// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/abi/imports.hpp"

#include <gtest/gtest.h>

namespace thalweg::mpi {
namespace {

TEST(Imports, NonblockingCollectivesAreKnownByTheirNames) {
  for (const char* symbol :
       {"MPI_Ialltoall", "PMPI_Ialltoallv", "MPI_Ibarrier", "MPI_Ireduce_scatter_block", "MPI_Iscan",
        "MPI_Iexscan", "MPI_Ineighbor_alltoallw", "mpi_ibcast_", "mpi_iallreduce__", "MPI_IGATHER",
        "pmpi_iscatterv_", "mpi_iallgather_f08_", "MPI_Iallgatherv_c"})
    EXPECT_TRUE(names_nonblocking_collective(symbol)) << symbol;
}

TEST(Imports, OtherFunctionsAreNone) {
  for (const char* symbol : {"MPI_Alltoall", "MPI_Isend", "MPI_Issend", "MPI_Irecv", "MPI_Iprobe", "MPI_Init",
                             "MPI_Info_create", "MPI_Is_thread_main", "MPI_Alltoall_init", "mpi_init_",
                             "MPI_I", "MPI_", "P", "", "pthread_create", "XMPI_Ibcast"})
    EXPECT_FALSE(names_nonblocking_collective(symbol)) << symbol;
}

TEST(Imports, AProgramWithoutThemWantsNone) {
  EXPECT_FALSE(may_start_collectives());
}

} // namespace
} // namespace thalweg::mpi

// SPDX-License-Identifier: BSD-3-Clause
#include "job/library/mpi_library.hpp"

#include "job/mpi/operator.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string>

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
      .group_incl = PMPI_Group_incl,
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

namespace {

#if defined(OPEN_MPI)
constexpr bool is_for_open_mpi = true;
#else
constexpr bool is_for_open_mpi = false;
#endif

// Programs may be linked with this library for another MPI than their own, whose functions are then called
// here with handles that they do not know.
void check_library() {
  constexpr std::size_t longest = 8192; // of any library, whatever this one's header says
  std::array<char, std::max<std::size_t>(longest, MPI_MAX_LIBRARY_VERSION_STRING)> text{};
  int length = 0;
  must(library_api().get_library_version(text.data(), &length), "MPI_Get_library_version");
  std::string found = text.data();
  found = found.substr(0, found.find_first_of(",\n"));
  if (found.starts_with("Open MPI") != is_for_open_mpi)
    throw Error(
        fmt::format("this Thalweg library is for {}, and the program runs on {}",
                    is_for_open_mpi ? "Open MPI" : "MPICH", found),
        fmt::format("link with the one whose name ends in -{}", is_for_open_mpi ? "mpich" : "openmpi"));
}

} // namespace

std::shared_ptr<ShadowCommunicator> duplicate(MPI_Comm communicator, std::string_view user) {
  mpi_must_run();
  check_library();
  if (communicator == MPI_COMM_NULL)
    throw Error("the communicator is MPI_COMM_NULL",
                fmt::format("only ranks that are in a communicator make its {}", user));
  int has_two_groups = 0;
  must(MPI_Comm_test_inter(communicator, &has_two_groups), "MPI_Comm_test_inter");
  if (has_two_groups != 0)
    throw Error(fmt::format("an intercommunicator has no {}", user),
                "merge its groups first: MPI_Intercomm_merge", thalweg_error_unsupported);
  auto shadow = ShadowCommunicator::make(library_api(), communicator);
  if (!shadow)
    throw Error(fmt::format("the communicator of a {} could not be duplicated", user),
                "see the MPI library's own message");
  return shadow;
}

} // namespace thalweg::job

#include "job/linked/communicator.hpp"

#include "job/linked/linked_library.hpp"
#include "job/linked/mpi_calls.hpp"
#include "job/linked/mpi_state.hpp"

#include <fmt/format.h>

namespace thalweg::job {

std::shared_ptr<ShadowCommunicator> duplicate(MPI_Comm communicator, std::string_view user) {
  mpi_must_run();
  if (communicator == MPI_COMM_NULL)
    throw Error("the communicator is MPI_COMM_NULL",
                fmt::format("only ranks that are in a communicator make its {}", user));
  int has_two_groups = 0;
  must(MPI_Comm_test_inter(communicator, &has_two_groups), "MPI_Comm_test_inter");
  if (has_two_groups != 0)
    throw Error(fmt::format("an intercommunicator has no {}", user),
                "merge its groups first: MPI_Intercomm_merge", thalweg_error_unsupported);
  auto shadow = ShadowCommunicator::make(linked_api(), communicator);
  if (!shadow)
    throw Error(fmt::format("the communicator of a {} could not be duplicated", user),
                "see the MPI library's own message");
  return shadow;
}

} // namespace thalweg::job

// SPDX-License-Identifier: BSD-3-Clause
#include "job/library/communicator.hpp"

#include "job/library/mpi_calls.hpp"
#include "job/library/mpi_library.hpp"
#include "job/library/mpi_state.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string>

namespace thalweg::job {

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

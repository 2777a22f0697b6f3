#include "mpi/comm/own_communicator.hpp"

#include <memory>
#include <mutex>

#include "job/mpi/shadow_communicator.hpp"
#include "mpi/abi/library_api.hpp"
#include "mpi/state/runtime.hpp"

namespace thalweg::mpi {

namespace {

std::mutex asking;

// Never destroyed: calls may come while the process ends.
std::shared_ptr<job::ShadowCommunicator>& kept() {
  static auto* const instance = new std::shared_ptr<job::ShadowCommunicator>;
  return *instance;
}

} // namespace

void open_own_communicator() {
  kept() = job::ShadowCommunicator::make_as_it_is(library_api(), MPI_COMM_SELF);
}

void close_own_communicator() {
  kept().reset();
}

MPI_Comm own_communicator() {
  return kept() ? kept()->handle() : MPI_COMM_NULL;
}

bool is_communicator(MPI_Comm comm) {
  int between_groups = 0;
  if (!runtime.has_world)
    return native.Comm_test_inter(comm, &between_groups) == MPI_SUCCESS;
  const std::lock_guard lock(asking);
  const job::ErrorsReturned of_world(library_api(), MPI_COMM_WORLD);
  const job::ErrorsReturned of_self(library_api(), MPI_COMM_SELF);
  return native.Comm_test_inter(comm, &between_groups) == MPI_SUCCESS;
}

} // namespace thalweg::mpi

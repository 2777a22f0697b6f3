// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/comm/own_communicator.hpp"
#include "base/of_process.hpp"

#include <cstdint>
#include <memory>
#include <mutex>

#include "job/mpi/shadow_communicator.hpp"
#include "mpi/abi/library_api.hpp"
#include "mpi/state/runtime.hpp"

namespace thalweg::mpi {

namespace {

struct OwnCommunicator {
  std::shared_ptr<job::ShadowCommunicator> shadow;
  std::mutex asking;
};

std::shared_ptr<job::ShadowCommunicator>& kept() {
  return of_process<OwnCommunicator>().shadow;
}

bool is_taken(MPI_Comm comm) {
  int between_groups = 0;
  return native.Comm_test_inter(comm, &between_groups) == MPI_SUCCESS;
}

// For this time MPI_COMM_WORLD and MPI_COMM_SELF return errors: which of them is told, versions differ in.
bool is_taken_quietly(MPI_Comm comm) {
  if (!runtime.world.is_begun)
    return is_taken(comm);
  const std::lock_guard lock(of_process<OwnCommunicator>().asking);
  const job::ErrorsReturned of_world(library_api(), MPI_COMM_WORLD);
  const job::ErrorsReturned of_self(library_api(), MPI_COMM_SELF);
  return is_taken(comm);
}

// In MPICH and its kin, four bits of a handle say what it is of. A handle of something else is told to
// MPI_COMM_SELF's and MPI_COMM_WORLD's error handlers, whatever call meets it.
bool is_communicator_handle(MPI_Comm comm) {
  constexpr std::uintptr_t communicator = 1;
  return ((std::uintptr_t)(comm) >> 26 & 0xF) == communicator;
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
  if constexpr (own_family == Family::openmpi)
    return is_taken_quietly(comm);
  const MPI_Comm own = own_communicator();
  int relation = MPI_UNEQUAL;
  return own == MPI_COMM_NULL
             ? is_taken(comm)
             : is_communicator_handle(comm) && native.Comm_compare(own, comm, &relation) == MPI_SUCCESS;
}

} // namespace thalweg::mpi

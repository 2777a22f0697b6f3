// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/place/world_swap.hpp"

#include <cstdint>
#include <dlfcn.h>

#include "mpi/state/runtime.hpp"

namespace thalweg::mpi {

namespace {

// extern "C" of src/run/mpi/world: takes the bits of both handles.
using SwapFunction = void (*)(std::uintptr_t from, std::uintptr_t to);

SwapFunction swap_function() {
  static const auto function = reinterpret_cast<SwapFunction>(dlsym(RTLD_DEFAULT, "thalweg_swap_world"));
  return function;
}

std::uintptr_t bits_of(MPI_Comm comm) {
  return (std::uintptr_t)(comm);
}

void join(MPI_Comm world) {
  runtime.world.communicator = world;
  native.Comm_rank(world, &runtime.world.rank);
  native.Group_free(&runtime.world.group);
  native.Comm_group(world, &runtime.world.group);
}

} // namespace

bool can_swap_world() {
  return swap_function() != nullptr;
}

bool swap_world(int rank) {
  MPI_Comm world = MPI_COMM_NULL;
  if (native.Comm_split(MPI_COMM_WORLD, 0, rank, &world) != MPI_SUCCESS)
    return false;
  native.Comm_set_name(world, "MPI_COMM_WORLD");
  join(world);
  swap_function()(bits_of(MPI_COMM_WORLD), bits_of(world));
  return true;
}

void restore_world() {
  MPI_Comm world = runtime.world.communicator;
  if (world == MPI_COMM_WORLD || world == MPI_COMM_NULL)
    return;
  swap_function()(bits_of(MPI_COMM_WORLD), bits_of(MPI_COMM_WORLD));
  join(MPI_COMM_WORLD);
  native.Comm_free(&world);
}

} // namespace thalweg::mpi

// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/world/world.hpp"

#include <algorithm>
#include <array>
#include <dlfcn.h>

namespace thalweg::mpi::world {

namespace {

int nobody_has_it() {
  return MPI_ERR_OTHER;
}

// Of the interposer, which knows libraries that a program has opened by itself.
using FindFunction = void* (*)(const char* symbol);

} // namespace

void* Next::find() {
  void* address = dlsym(RTLD_NEXT, symbol_);
  if (address == nullptr) {
    if (const auto look = reinterpret_cast<FindFunction>(dlsym(RTLD_NEXT, "thalweg_library_function")))
      address = look(symbol_);
  }
  if (address == nullptr)
    return reinterpret_cast<void*>(&nobody_has_it); // and perhaps later
  address_.store(address, std::memory_order_relaxed);
  return address;
}

bool is_of_library(int keyval) {
  constexpr std::array attributes{MPI_TAG_UB, MPI_HOST,          MPI_IO,          MPI_WTIME_IS_GLOBAL,
                                  MPI_APPNUM, MPI_UNIVERSE_SIZE, MPI_LASTUSEDCODE};
  return std::ranges::find(attributes, keyval) != attributes.end();
}

} // namespace thalweg::mpi::world

THALWEG_WORLD_ENTRY void thalweg_swap_world(std::uintptr_t from, std::uintptr_t to) {
  using namespace thalweg::mpi::world;
  swapped_from = from == to ? 0 : from;
  swapped_to = from == to ? 0 : to;
}

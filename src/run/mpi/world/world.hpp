// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A library that is loaded before the interposer where ranks may be numbered anew, and nowhere else, so that
// nobody else pays for it. Its entry points are all of MPI's that take a communicator. Once the interposer
// has decided, they take another one where the program names MPI_COMM_WORLD; else they pass everything on.

#include "mpi/abi/families/family.hpp"

#include <atomic>
#include <cstdint>
#include <type_traits>

#define THALWEG_WORLD_ENTRY extern "C" __attribute__((visibility("default")))

namespace thalweg::mpi::world {

/// The same name's next function in the search order: the interposer's, or the library's. Found at the first
/// call; an answer with an error where nobody has it.
class Next {
public:
  constexpr explicit Next(const char* symbol) : symbol_(symbol) {}

  template <typename Function>
  Function* as() {
    void* address = address_.load(std::memory_order_relaxed);
    if (address == nullptr) [[unlikely]]
      address = find();
    return reinterpret_cast<Function*>(address);
  }

private:
  void* find();

  const char* symbol_;
  std::atomic<void*> address_{nullptr};
};

/// Handles' bits: MPI_COMM_WORLD's, and those of what stands for it. Both 0 where nothing does. Written while
/// MPI starts and while it ends.
inline constinit std::uintptr_t swapped_from = 0;
inline constinit std::uintptr_t swapped_to = 0;

template <typename Comm>
bool is_swapped(Comm comm) {
  return swapped_from != 0 && (std::uintptr_t)(static_cast<MPI_Comm>(comm)) == swapped_from;
}

template <typename Comm>
Comm in_world(Comm comm) {
  return is_swapped(comm) ? Comm((MPI_Comm)(swapped_to)) : comm;
}

/// Is the attribute one of those that the library sets on MPI_COMM_WORLD?
bool is_of_library(int keyval);

} // namespace thalweg::mpi::world

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What tells one call of a function from another, but for the addresses of its buffers.

#include "mpi/call/collective_call.hpp"
#include "mpi/call/operation_shape.hpp"

namespace thalweg::mpi {

struct CallSignature {
  MPI_Comm comm{};
  MPI_Count sendcount = 0;
  MPI_Count recvcount = 0;
  MPI_Datatype sendtype{};
  MPI_Datatype recvtype{};
  MPI_Op op{};
  int root = 0;
  bool in_place = false;

  bool operator==(const CallSignature&) const = default;
};

inline CallSignature signature_of(const CollectiveCall& call) {
  return {.comm = call.comm,
          .sendcount = call.sendcount,
          .recvcount = call.recvcount,
          .sendtype = call.sendtype,
          .recvtype = call.recvtype,
          .op = call.op,
          .root = call.root,
          .in_place = is_in_place(call)};
}

// Counts and displacements of the calls that have a row of them.
struct CallArrays {
  IntegerArray sendcounts = {};
  IntegerArray senddispls = {};
  IntegerArray recvcounts = {};
  IntegerArray recvdispls = {};
};

inline CallArrays arrays_of(const CollectiveCall& call) {
  return {call.sendcounts, call.senddispls, call.recvcounts, call.recvdispls};
}

// Which of them mean something on a rank; what does not may hold anything, and is not looked at.
struct ArraySides {
  bool send = false;
  bool receive = false;
};

inline ArraySides array_sides(const CollectiveCall& call, int rank) {
  const OperationShape& shape = operation_shape(call.function->operation);
  const auto has_arrays = [&](const SideShape& side) {
    return (side.sizes == SideShape::Sizes::counts && side.is_by_rank() &&
            (side.ranks != SideShape::Ranks::root || rank == call.root)) ||
           side.sizes == SideShape::Sizes::counts_in_a_row;
  };
  return {has_arrays(shape.gives) && call.sendbuf != MPI_IN_PLACE, has_arrays(shape.takes)};
}

inline std::uint64_t hash_of(const IntegerArray& array, std::size_t length, std::uint64_t hash) {
  for (std::size_t index = 0; array && index < length; ++index) {
    hash = (hash ^ static_cast<std::uint64_t>(array[index])) * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 32U;
  }
  return hash;
}

// Calls whose hashes are equal are taken to have the same counts and displacements.
inline std::uint64_t hash_of(const CallArrays& arrays, ArraySides sides, std::size_t length) {
  std::uint64_t hash = 1;
  if (sides.send)
    hash = hash_of(arrays.senddispls, length, hash_of(arrays.sendcounts, length, hash));
  if (sides.receive)
    hash = hash_of(arrays.recvdispls, length, hash_of(arrays.recvcounts, length, hash));
  return hash;
}

// Spreads the calls of an operation over a few places. Roots that follow one another have places that do.
inline std::size_t place_of(MPI_Count count, int root, unsigned bits) {
  const std::uint64_t word = static_cast<std::uint64_t>(count) * 0x9E3779B97F4A7C15U;
  return (static_cast<std::size_t>(word >> (64U - bits)) + static_cast<std::size_t>(root)) &
         ((std::size_t{1} << bits) - 1);
}

} // namespace thalweg::mpi

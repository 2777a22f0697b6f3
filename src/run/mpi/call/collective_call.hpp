// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// One collective call of the program, in one form for all of MPI's: blocking, nonblocking or persistent,
// counts of `int` or MPI_Count. What MPI does not make significant for this rank holds whatever the program
// passed.

#include "mpi/abi/native.hpp"
#include "mpi/call/operation_shape.hpp"
#include "mpi/observe/locations.hpp"

#include <cstddef>
#include <cstdint>

namespace thalweg::mpi {

enum class Mode { blocking, nonblocking, persistent };

/// An array of counts or displacements, of `int` or of a 64-bit integer (MPI_Count, MPI_Aint).
class IntegerArray {
public:
  IntegerArray() = default;
  IntegerArray(const int* data) : data_(data), wide_(false) {}
  IntegerArray(const long* data) : data_(data), wide_(true) {}
  IntegerArray(const long long* data) : data_(data), wide_(true) {}

  explicit operator bool() const { return data_ != nullptr; }
  std::int64_t operator[](std::size_t index) const {
    return wide_ ? static_cast<const std::int64_t*>(data_)[index] : static_cast<const int*>(data_)[index];
  }
  template <typename Integer>
  const Integer* as() const {
    return static_cast<const Integer*>(data_);
  }

private:
  const void* data_ = nullptr;
  bool wide_ = false;
};

struct CollectiveCall;

/// What is the same for all calls of one MPI function.
struct FunctionInfo {
  Operation operation;
  Mode mode;
  Function id;
  int (*native)(const CollectiveCall&);              ///< the library's own
  int (*start)(const CollectiveCall&, MPI_Request*); ///< its nonblocking form; for blocking functions only
  int fast_path_slot;                                ///< of calls like this (fast_path.hpp), or -1
};

struct CollectiveCall {
  const FunctionInfo* function;
  CallSite site;
  MPI_Comm comm;
  /// Of functions with one buffer, count or type, both members hold it.
  const void* sendbuf = nullptr;
  void* recvbuf = nullptr;
  MPI_Count sendcount = 0;
  MPI_Count recvcount = 0;
  IntegerArray sendcounts;
  IntegerArray recvcounts;
  IntegerArray senddispls;
  IntegerArray recvdispls;
  MPI_Datatype sendtype{};
  MPI_Datatype recvtype{};
  const MPI_Datatype* sendtypes = nullptr; ///< the w-forms
  const MPI_Datatype* recvtypes = nullptr;
  MPI_Op op{};
  int root = 0;
  MPI_Info info{};                ///< persistent
  MPI_Request* request = nullptr; ///< nonblocking and persistent
};

/// Whether this rank's data stand in the receive buffer.
inline bool is_in_place(const CollectiveCall& call) {
  return call.sendbuf == MPI_IN_PLACE;
}

inline const char* function_name(const CollectiveCall& call) {
  return function_names[static_cast<std::size_t>(call.function->id)];
}

/// What tells one call of a function from another, but for the addresses of its buffers.
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

/// Counts and displacements of the calls that have a row of them.
struct CallArrays {
  IntegerArray sendcounts = {};
  IntegerArray senddispls = {};
  IntegerArray recvcounts = {};
  IntegerArray recvdispls = {};
};

inline CallArrays arrays_of(const CollectiveCall& call) {
  return {call.sendcounts, call.senddispls, call.recvcounts, call.recvdispls};
}

/// Which of them mean something on a rank; what does not may hold anything, and is not looked at.
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

/// Calls whose hashes are equal are taken to have the same counts and displacements.
inline std::uint64_t hash_of(const CallArrays& arrays, ArraySides sides, std::size_t length) {
  std::uint64_t hash = 1;
  if (sides.send)
    hash = hash_of(arrays.senddispls, length, hash_of(arrays.sendcounts, length, hash));
  if (sides.receive)
    hash = hash_of(arrays.recvdispls, length, hash_of(arrays.recvcounts, length, hash));
  return hash;
}

/// Stands for the count in place_of() where calls have rows of counts. Programs keep rows for each of the
/// exchanges that take turns in a loop, and may use them on several communicators.
inline MPI_Count count_of_rows(MPI_Comm comm, const CallArrays& arrays) {
  const void* const counts = arrays.recvcounts ? arrays.recvcounts.as<void>() : arrays.sendcounts.as<void>();
  return static_cast<MPI_Count>(reinterpret_cast<std::uintptr_t>(counts) / alignof(int) +
                                (std::uintptr_t)(comm));
}

/// Spreads the calls of an operation over a few places. Roots that follow one another have places that do.
inline std::size_t place_of(MPI_Count count, int root, unsigned bits) {
  const std::uint64_t word = static_cast<std::uint64_t>(count) * 0x9E3779B97F4A7C15U;
  return (static_cast<std::size_t>(word >> (64U - bits)) + static_cast<std::size_t>(root)) &
         ((std::size_t{1} << bits) - 1);
}

} // namespace thalweg::mpi

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// One collective call of the program, in one form for all of MPI's: blocking, nonblocking or persistent,
// counts of `int` or MPI_Count. What MPI does not make significant for this rank holds whatever the program
// passed.

#include <cstddef>
#include <cstdint>

#include "mpi/abi/native.hpp"
#include "mpi/call/operation.hpp"
#include "mpi/observe/call_site.hpp"

namespace thalweg::mpi {

enum class Mode { blocking, nonblocking, persistent };

// An array of counts or displacements, of `int` or of a 64-bit integer (MPI_Count, MPI_Aint).
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
  template <class Integer>
  const Integer* as() const {
    return static_cast<const Integer*>(data_);
  }

private:
  const void* data_ = nullptr;
  bool wide_ = false;
};

struct CollectiveCall;

// What is the same for all calls of one MPI function.
struct FunctionInfo {
  Operation operation;
  Mode mode;
  Function id;
  int (*native)(const CollectiveCall&);              // the library's own
  int (*start)(const CollectiveCall&, MPI_Request*); // its nonblocking form; for blocking functions only
  int fast_path_slot;                                // of calls like this (fast_path.hpp), or -1
};

struct CollectiveCall {
  const FunctionInfo* function;
  CallSite site;
  MPI_Comm comm;
  // Of functions with one buffer, count or type, both members hold it.
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
  const MPI_Datatype* sendtypes = nullptr; // the w-forms
  const MPI_Datatype* recvtypes = nullptr;
  MPI_Op op{};
  int root = 0;
  MPI_Info info{};                // persistent
  MPI_Request* request = nullptr; // nonblocking and persistent
};

// Whether this rank's data stand in the receive buffer.
inline bool is_in_place(const CollectiveCall& call) {
  return call.sendbuf == MPI_IN_PLACE;
}

inline const char* function_name(const CollectiveCall& call) {
  return function_names[static_cast<std::size_t>(call.function->id)];
}

} // namespace thalweg::mpi

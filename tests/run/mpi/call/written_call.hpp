// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Calls as a rank's arguments have them, written down from the bytes of the blocks that it gives and takes.

#include "mpi/call/sides.hpp"

#include <deque>
#include <optional>
#include <vector>

namespace thalweg::mpi {

template <typename Handle>
Handle handle(std::intptr_t bits) {
  return (Handle)(bits);
}

/// Types of as many bytes as their handles say; what is insignificant has another.
inline const auto short_type = handle<MPI_Datatype>(4);
inline const auto long_type = handle<MPI_Datatype>(12);
inline const auto unreadable_type = handle<MPI_Datatype>(1000);

using Bytes = std::uint64_t;
using Counts = std::vector<int>;
/// Bytes of blocks, or nothing where a rank has no such side.
using Row = std::optional<std::vector<Bytes>>;

/// A rank's call, with the arrays that it points to.
class WrittenCall {
public:
  CollectiveCall call;
  std::int64_t own_place = 0; ///< where the rank's block in the other buffer begins, in elements

  explicit WrittenCall(Operation operation) {
    info_.operation = operation;
    call.function = &info_;
    call.sendbuf = send_;
    call.recvbuf = receive_;
    call.sendcount = call.recvcount = -77;
    call.sendtype = call.recvtype = unreadable_type;
    // A null array of counts would be read as none; these are beyond what may be read.
    call.sendcounts = call.recvcounts = unreadable();
    call.senddispls = call.recvdispls = unreadable();
    call.sendtypes = call.recvtypes = handle<const MPI_Datatype*>(8);
  }

  void send_one(Bytes bytes) {
    call.sendtype = short_type;
    call.sendcount = static_cast<MPI_Count>(bytes / 4);
  }
  void receive_one(Bytes bytes) {
    call.recvtype = long_type;
    call.recvcount = static_cast<MPI_Count>(bytes / 12);
  }
  void both(Bytes bytes) {
    call.sendtype = call.recvtype = short_type;
    call.sendcount = call.recvcount = static_cast<MPI_Count>(bytes / 4);
  }
  void send_row(const std::vector<Bytes>& row) {
    call.sendtype = short_type;
    call.sendcounts = counts_of(row, 4);
    call.senddispls = displacements_of(row.size());
  }
  void receive_row(const std::vector<Bytes>& row) {
    call.recvtype = long_type;
    call.recvcounts = counts_of(row, 12);
    call.recvdispls = displacements_of(row.size());
  }
  void send_types(const std::vector<Bytes>& row) {
    send_row(row);
    call.sendtypes = types_of(row.size(), short_type);
    call.sendtype = unreadable_type;
  }
  void receive_types(const std::vector<Bytes>& row) {
    receive_row(row);
    call.recvtypes = types_of(row.size(), long_type);
    call.recvtype = unreadable_type;
  }
  void row_of_results(const std::vector<Bytes>& row) {
    call.sendtype = call.recvtype = short_type;
    call.recvcounts = counts_of(row, 4);
  }
  /// Of no blocks, arrays may be null.
  static IntegerArray unreadable() { return {handle<const int*>(8)}; }

private:
  const int* counts_of(const std::vector<Bytes>& row, Bytes type_bytes) {
    Counts& counts = arrays_.emplace_back();
    for (const Bytes bytes : row)
      counts.push_back(static_cast<int>(bytes / type_bytes));
    return counts.data();
  }
  const int* displacements_of(std::size_t length) {
    Counts& displacements = arrays_.emplace_back();
    for (std::size_t block = 0; block < length; ++block)
      displacements.push_back(static_cast<int>(1000 * (length - block)));
    return displacements.data();
  }
  const MPI_Datatype* types_of(std::size_t length, MPI_Datatype type) {
    return types_.emplace_back(length, type).data();
  }

  FunctionInfo info_{};
  std::byte send_[1];
  std::byte receive_[1];
  std::deque<Counts> arrays_;
  std::deque<std::vector<MPI_Datatype>> types_;
};

/// MPI 4.1, 6.4 to 6.11 and 8.6: the arguments of a rank's call.
inline void write_arguments(WrittenCall& written, Operation operation, const Row& gives, const Row& takes) {
  switch (operation) {
  case Operation::barrier:
    return;
  case Operation::bcast:
    written.call.sendbuf = written.call.recvbuf;
    [[fallthrough]];
  case Operation::reduce:
  case Operation::allreduce:
  case Operation::scan:
  case Operation::exscan:
    if (gives || takes)
      written.both((gives ? gives : takes)->front());
    return;
  case Operation::reduce_scatter:
    return written.row_of_results(*gives);
  case Operation::reduce_scatter_block:
    return written.both(gives->front());
  default:
    break;
  }
  const auto is_one_of = [&](auto... others) { return ((operation == others) || ...); };
  if (is_one_of(Operation::alltoallw, Operation::neighbor_alltoallw)) {
    written.send_types(*gives);
    return written.receive_types(*takes);
  }
  if (gives && is_one_of(Operation::scatterv, Operation::alltoallv, Operation::neighbor_alltoallv))
    written.send_row(*gives);
  else if (gives)
    written.send_one(gives->empty() ? 0 : gives->front());
  if (takes && is_one_of(Operation::gatherv, Operation::allgatherv, Operation::alltoallv,
                         Operation::neighbor_allgatherv, Operation::neighbor_alltoallv))
    written.receive_row(*takes);
  else if (takes)
    written.receive_one(takes->empty() ? 0 : takes->front());
}

} // namespace thalweg::mpi

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Collectives of all ranks, by a matrix of who gives how much to whom.

#include "base/random.hpp"
#include "written_call.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace thalweg::mpi {

inline constexpr const char* names[] = {"barrier",
                                        "bcast",
                                        "gather",
                                        "gatherv",
                                        "scatter",
                                        "scatterv",
                                        "allgather",
                                        "allgatherv",
                                        "alltoall",
                                        "alltoallv",
                                        "alltoallw",
                                        "reduce",
                                        "allreduce",
                                        "reduce_scatter",
                                        "reduce_scatter_block",
                                        "scan",
                                        "exscan",
                                        "neighbor_allgather",
                                        "neighbor_allgatherv",
                                        "neighbor_alltoall",
                                        "neighbor_alltoallv",
                                        "neighbor_alltoallw"};
static_assert(std::size(names) == operation_count);

enum class Place { apart, in_place };

/// A call of all ranks of a group, or of one of two groups.
struct Scene {
  Operation operation;
  int size;
  int others; ///< of the other group, where there is one
  bool inter;
  int root;
  bool has_root; ///< or the other group has
  Place place;
  std::vector<Row> gives; ///< by rank
  std::vector<Row> takes;
  std::vector<std::vector<std::pair<int, Bytes>>> sends; ///< to whom

  bool is_at_root(int rank) const { return is_rooted(operation) && has_root && rank == root; }
  std::string text() const {
    return std::string(names[static_cast<std::size_t>(operation)]) + " on " + std::to_string(size) +
           (inter ? " and " + std::to_string(others) : "") + " ranks, root " + std::to_string(root) +
           (place == Place::in_place ? ", in place" : "");
  }
};

inline bool is_one_of(Operation operation, std::initializer_list<Operation> some) {
  return std::ranges::find(some, operation) != some.end();
}

inline bool is_from_root(Operation operation) {
  return is_one_of(operation, {Operation::bcast, Operation::scatter, Operation::scatterv});
}

inline bool is_to_root(Operation operation) {
  return is_one_of(operation, {Operation::gather, Operation::gatherv, Operation::reduce});
}

/// Does a rank give the same to all?
inline bool is_one_given(Operation operation) {
  return !is_one_of(operation,
                    {Operation::scatter, Operation::scatterv, Operation::alltoall, Operation::alltoallv,
                     Operation::alltoallw, Operation::reduce_scatter, Operation::reduce_scatter_block});
}

/// Does a rank take one block, be it of whom it may?
inline bool is_one_taken(Operation operation) {
  return !is_one_of(operation,
                    {Operation::gather, Operation::gatherv, Operation::allgather, Operation::allgatherv,
                     Operation::alltoall, Operation::alltoallv, Operation::alltoallw});
}

using Matrix = std::vector<std::vector<Bytes>>; // [from][to]

/// Bytes are multiples of both types' sizes.
inline Matrix amounts(Operation operation, int from, int to, Bytes same, Random& random) {
  const auto next = [&] { return 12 * random.below(Bytes{9}); };
  std::vector<Bytes> columns(static_cast<std::size_t>(to));
  std::ranges::generate(columns, next);
  Matrix matrix(static_cast<std::size_t>(from));
  for (std::vector<Bytes>& row : matrix) {
    const Bytes of_row = next();
    for (const Bytes of_column : columns)
      row.push_back(is_one_of(operation, {Operation::gatherv, Operation::allgatherv})        ? of_row
                    : is_one_of(operation, {Operation::scatterv, Operation::reduce_scatter}) ? of_column
                    : is_one_of(operation, {Operation::alltoallv, Operation::alltoallw})     ? next()
                                                                                             : same);
  }
  return matrix;
}

inline Row reduced(const std::vector<Bytes>& row, bool is_one) {
  return is_one ? std::vector<Bytes>{row.front()} : row;
}

inline std::vector<Bytes> column(const Matrix& matrix, int to) {
  std::vector<Bytes> column;
  for (const std::vector<Bytes>& row : matrix)
    column.push_back(row[static_cast<std::size_t>(to)]);
  return column;
}

/// Of the group whose ranks give `given` and take `taken`, the same matrix within one group.
inline Scene scene_of(Scene scene, const Matrix& given, const Matrix& taken) {
  const Operation operation = scene.operation;
  for (int rank = 0; rank < scene.size; ++rank) {
    const bool is_root = scene.is_at_root(rank);
    const bool is_opposite = scene.inter ? !scene.has_root : true; // of the root
    const bool gives = operation != Operation::barrier &&
                       (is_from_root(operation) ? is_root : !is_to_root(operation) || is_opposite);
    const bool takes = operation != Operation::barrier &&
                       (is_to_root(operation)     ? is_root
                        : is_from_root(operation) ? is_opposite
                                                  : true) &&
                       !(operation == Operation::bcast && is_root);
    const std::vector<Bytes>& row = given[static_cast<std::size_t>(rank)];
    scene.gives.push_back(gives ? reduced(row, is_one_given(operation)) : Row());
    scene.takes.push_back(takes ? reduced(column(taken, rank), is_one_taken(operation)) : Row());
    auto& sends = scene.sends.emplace_back();
    for (int to = 0; gives && to < static_cast<int>(row.size()); ++to)
      if ((scene.inter || to != rank) && (!is_to_root(operation) || to == scene.root))
        sends.emplace_back(to, row[static_cast<std::size_t>(to)]);
  }
  return scene;
}

inline void make_symmetric(Matrix& matrix) {
  for (std::size_t from = 0; from < matrix.size(); ++from)
    for (std::size_t to = 0; to < from; ++to)
      matrix[from][to] = matrix[to][from];
}

/// Puts MPI_IN_PLACE where this rank may; what it stands for is not significant then.
inline void put_in_place(WrittenCall& written, const Scene& scene, int rank) {
  CollectiveCall& call = written.call;
  const bool is_root = scene.is_at_root(rank);
  const auto without_send = [&] {
    call.sendbuf = MPI_IN_PLACE;
    if (is_reduction(scene.operation)) // one count and type for both
      return;
    call.sendcount = -77;
    call.sendtype = unreadable_type;
    call.sendcounts = call.senddispls = WrittenCall::unreadable();
    call.sendtypes = handle<const MPI_Datatype*>(8);
  };
  switch (scene.operation) {
  case Operation::gather:
  case Operation::gatherv:
  case Operation::reduce:
    if (is_root)
      without_send();
    break;
  case Operation::scatter:
  case Operation::scatterv:
    if (is_root) {
      call.recvbuf = MPI_IN_PLACE;
      call.recvcount = -77;
      call.recvtype = unreadable_type;
    }
    break;
  default:
    without_send();
  }
}

inline WrittenCall written_call(const Scene& scene, int rank) {
  WrittenCall written(scene.operation);
  written.call.root = !scene.inter || !scene.has_root ? scene.root
                      : scene.is_at_root(rank)        ? MPI_ROOT
                                                      : MPI_PROC_NULL;
  const auto r = static_cast<std::size_t>(rank);
  write_arguments(written, scene.operation, scene.gives[r], scene.takes[r]);
  if (scene.place == Place::in_place)
    put_in_place(written, scene, rank);
  return written;
}

inline CallRanks ranks_in(const Scene& scene, int rank) {
  const auto r = static_cast<std::size_t>(rank);
  CallRanks ranks{
      .rank = rank, .size = scene.size, .remote_size = scene.inter ? scene.others : 0, .inter = scene.inter};
  if (is_among_neighbors(scene.operation)) {
    ranks.sources = static_cast<int>(scene.takes[r]->size());
    ranks.destinations = static_cast<int>(scene.gives[r]->size());
  }
  return ranks;
}

} // namespace thalweg::mpi

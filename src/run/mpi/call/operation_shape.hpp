// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the arguments of each collective mean (MPI 4.1, chapters 6 and 8): who gives data and who takes some,
// in how many blocks, whose sizes stand where, and what MPI_IN_PLACE stands for. The sides of a call
// (mpi/call/sides.hpp) follow from it.

#include "schedule/problem.hpp"

#include <array>
#include <cstddef>

namespace thalweg::mpi {

/// MPI's collective operations; blocking, nonblocking and persistent functions of the same name are one.
enum class Operation {
  barrier,
  bcast,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  reduce,
  allreduce,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  exscan,
  neighbor_allgather,
  neighbor_allgatherv,
  neighbor_alltoall,
  neighbor_alltoallv,
  neighbor_alltoallw,
};

inline constexpr std::size_t operation_count = static_cast<std::size_t>(Operation::neighbor_alltoallw) + 1;

/// What ranks give to an operation, or what they take from it.
struct SideShape {
  /// Which ranks do. Between two groups, only the root's group has a root, and all of the other are `others`
  /// and `all`.
  enum class Ranks { none, all, root, others };
  /// In how many blocks: one for each rank of whom it is exchanged with, of the own group, or of the
  /// neighbors.
  enum class Blocks { one, by_rank, by_own_group, by_source, by_destination };
  /// One count for all blocks; an array of counts, and one of displacements; these and an array of datatypes;
  /// or an array of counts by rank for blocks that lie one behind the other, of which a rank may have its own
  /// alone.
  enum class Sizes { count, counts, counts_and_types, counts_in_a_row };

  Ranks ranks = Ranks::none;
  Blocks blocks = Blocks::one;
  Sizes sizes = Sizes::count;

  constexpr bool has_arrays() const { return sizes != Sizes::count; }
  /// Has every block its own rank of the communicator, or of the other group?
  constexpr bool is_by_rank() const { return blocks == Blocks::by_rank || blocks == Blocks::by_own_group; }
};

struct OperationShape {
  /// Where MPI_IN_PLACE may stand instead of a buffer: for what a rank gives, for what the root gives, or for
  /// what the root takes. That is then part of the rank's other buffer.
  enum class InPlace { nowhere, given, given_by_root, taken_by_root };

  schedule::Operation schedule;
  SideShape gives;
  SideShape takes;
  InPlace in_place = InPlace::nowhere;
  /// Do all ranks know the sizes of all blocks? Elsewhere a rank knows its own alone.
  bool are_sizes_agreed = true;
};

inline constexpr std::array<OperationShape, operation_count> operation_shapes = [] {
  using schedule::Operation;
  using enum SideShape::Ranks;
  using enum SideShape::Blocks;
  using enum SideShape::Sizes;
  using enum OperationShape::InPlace;
  constexpr bool private_to_ranks = false;
  return std::array<OperationShape, operation_count>{{
      {Operation::barrier, {}, {}},
      {Operation::broadcast, {root}, {others}},
      {Operation::gather, {all}, {root, by_rank}, given_by_root},
      {Operation::gather, {all}, {root, by_rank, counts}, given_by_root, private_to_ranks},
      {Operation::scatter, {root, by_rank}, {all}, taken_by_root},
      {Operation::scatter, {root, by_rank, counts}, {all}, taken_by_root, private_to_ranks},
      {Operation::allgather, {all}, {all, by_rank}, given},
      {Operation::allgather, {all}, {all, by_rank, counts}, given},
      {Operation::alltoall, {all, by_rank}, {all, by_rank}, given},
      {Operation::alltoall, {all, by_rank, counts}, {all, by_rank, counts}, given, private_to_ranks},
      {Operation::alltoall,
       {all, by_rank, counts_and_types},
       {all, by_rank, counts_and_types},
       given,
       private_to_ranks},
      {Operation::reduce, {all}, {root}, given_by_root},
      {Operation::allreduce, {all}, {all}, given},
      {Operation::reduce_scatter, {all, by_own_group, counts_in_a_row}, {all, one, counts_in_a_row}, given},
      {Operation::reduce_scatter, {all, by_own_group}, {all}, given},
      {Operation::scan, {all}, {all}, given},
      {Operation::exscan, {all}, {all}, given},
      {Operation::neighbor_allgather, {all}, {all, by_source}, nowhere, private_to_ranks},
      {Operation::neighbor_allgather, {all}, {all, by_source, counts}, nowhere, private_to_ranks},
      {Operation::neighbor_alltoall, {all, by_destination}, {all, by_source}, nowhere, private_to_ranks},
      {Operation::neighbor_alltoall,
       {all, by_destination, counts},
       {all, by_source, counts},
       nowhere,
       private_to_ranks},
      {Operation::neighbor_alltoall,
       {all, by_destination, counts_and_types},
       {all, by_source, counts_and_types},
       nowhere,
       private_to_ranks},
  }};
}();

constexpr const OperationShape& operation_shape(Operation operation) {
  return operation_shapes[static_cast<std::size_t>(operation)];
}

constexpr schedule::Operation schedule_operation(Operation operation) {
  return operation_shape(operation).schedule;
}

/// Has the operation a root, on whom others depend that do not depend on each other?
constexpr bool is_rooted(const OperationShape& shape) {
  return shape.gives.ranks == SideShape::Ranks::root || shape.takes.ranks == SideShape::Ranks::root;
}

constexpr bool is_rooted(Operation operation) {
  return is_rooted(operation_shape(operation));
}

constexpr bool is_among_neighbors(Operation operation) {
  return operation_shape(operation).takes.blocks == SideShape::Blocks::by_source;
}

inline bool is_reduction(Operation operation) {
  return schedule::is_reduction(schedule_operation(operation));
}

} // namespace thalweg::mpi

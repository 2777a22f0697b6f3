// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/buffers.hpp"

#include "base/assertion.hpp"

namespace thalweg::schedule {

namespace {

std::int32_t degree(const Problem& problem, Rank rank, std::vector<Rank> Neighborhood::*side) {
  THALWEG_ASSERT(light, problem.neighborhoods && rank >= 0 && rank < std::ssize(*problem.neighborhoods));
  return static_cast<std::int32_t>(((*problem.neighborhoods)[static_cast<std::size_t>(rank)].*side).size());
}

bool is_vector(Operation operation) {
  switch (operation) {
  case Operation::broadcast:
  case Operation::reduce:
  case Operation::allreduce:
  case Operation::scan:
  case Operation::exscan:
    return true;
  default:
    return false;
  }
}

} // namespace

std::int32_t input_units(const Problem& problem, Rank rank) {
  THALWEG_ASSERT(normal, rank >= 0 && rank < problem.ranks);
  switch (problem.operation) {
  case Operation::barrier:
  case Operation::broadcast:
    return 0;
  case Operation::reduce:
  case Operation::allreduce:
  case Operation::scan:
  case Operation::exscan:
  case Operation::gather:
  case Operation::allgather:
  case Operation::neighbor_allgather:
    return 1;
  case Operation::scatter:
    return rank == problem.root ? problem.ranks : 0;
  case Operation::alltoall:
  case Operation::reduce_scatter:
    return problem.ranks;
  case Operation::neighbor_alltoall:
    return degree(problem, rank, &Neighborhood::destinations);
  }
  return 0;
}

std::int32_t output_units(const Problem& problem, Rank rank) {
  THALWEG_ASSERT(normal, rank >= 0 && rank < problem.ranks);
  switch (problem.operation) {
  case Operation::barrier:
    return 0;
  case Operation::broadcast:
  case Operation::allreduce:
  case Operation::scan:
  case Operation::exscan:
  case Operation::scatter:
  case Operation::reduce_scatter:
    return 1;
  case Operation::reduce:
    return rank == problem.root ? 1 : 0;
  case Operation::gather:
    return rank == problem.root ? problem.ranks : 0;
  case Operation::allgather:
  case Operation::alltoall:
    return problem.ranks;
  case Operation::neighbor_allgather:
  case Operation::neighbor_alltoall:
    return degree(problem, rank, &Neighborhood::sources);
  }
  return 0;
}

bool has_private_sizes(Operation operation) {
  switch (operation) {
  case Operation::gather:
  case Operation::scatter:
  case Operation::alltoall:
  case Operation::neighbor_allgather:
  case Operation::neighbor_alltoall:
    return true;
  default:
    return false;
  }
}

std::int64_t canonical_blocks(const Problem& problem, std::int32_t pieces) {
  return is_vector(problem.operation) ? pieces : std::int64_t{problem.ranks} * pieces;
}

std::int64_t canonical_block(const Problem& problem, Rank rank, std::int32_t pieces, Buffer buffer,
                             std::int32_t block) {
  THALWEG_ASSERT(normal, block >= 0 && pieces >= 1);
  const std::int64_t ranks = problem.ranks;
  switch (problem.operation) {
  case Operation::barrier:
  case Operation::neighbor_allgather:
  case Operation::neighbor_alltoall:
    return -1;
  case Operation::alltoall: {
    const std::int64_t unit = block / pieces;
    const std::int64_t piece = block % pieces;
    if (buffer == Buffer::scratch)
      return -1;
    return (buffer == Buffer::input ? rank * ranks + unit : unit * ranks + rank) * pieces + piece;
  }
  case Operation::gather:
  case Operation::allgather:
    if (buffer == Buffer::input)
      return std::int64_t{rank} * pieces + block;
    break;
  case Operation::scatter:
  case Operation::reduce_scatter:
    if (buffer == Buffer::output)
      return std::int64_t{rank} * pieces + block;
    break;
  default:
    break;
  }
  return block % canonical_blocks(problem, pieces);
}

std::int32_t aliased_output(const Problem& problem, Rank rank, std::int32_t pieces,
                            std::int32_t input_block) {
  THALWEG_ASSERT(normal, input_block >= 0 && input_block < input_units(problem, rank) * pieces);
  switch (problem.operation) {
  case Operation::allreduce:
  case Operation::scan:
  case Operation::exscan:
    return input_block;
  case Operation::reduce:
    return rank == problem.root ? input_block : -1;
  case Operation::gather:
    return rank == problem.root ? rank * pieces + input_block : -1;
  case Operation::allgather:
    return rank * pieces + input_block;
  case Operation::scatter:
    return rank == problem.root && input_block / pieces == rank ? input_block % pieces : -1;
  default:
    return -1;
  }
}

} // namespace thalweg::schedule

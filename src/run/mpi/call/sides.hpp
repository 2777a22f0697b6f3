// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The two sides of a collective call on this rank: what it gives, and what it takes. All that asks what a
// call's arguments mean goes by them, and by the table that they follow from (mpi/call/operation_shape.hpp).

#include "base/assertion.hpp"
#include "mpi/call/collective_call.hpp"
#include "mpi/call/datatypes.hpp"
#include "mpi/call/operation_shape.hpp"
#include "mpi/comm/communicators.hpp"

#include <cstdint>
#include <vector>

namespace thalweg::mpi {

/// Blocks of elements, as the program describes them. Of a side that is not significant nothing else means
/// anything.
struct Side {
  bool is_significant = false;
  int blocks = 0;
  const void* buffer = nullptr;
  /// Elements of `type` from the buffer's begin to the side, where it is one block of a larger one.
  std::int64_t place = 0;
  MPI_Count count = 0; ///< of each block
  /// By block, from the first one on; or none. Displacements count elements, with types bytes.
  IntegerArray counts;
  IntegerArray displacements;
  MPI_Datatype type{};
  const MPI_Datatype* types = nullptr;
  int first = 0;

  MPI_Count count_of(int block) const { return counts ? counts[index_of(block)] : count; }
  MPI_Datatype type_of(int block) const { return types != nullptr ? types[index_of(block)] : type; }
  std::uint64_t bytes_of(int block) const { return mpi::bytes_of(count_of(block), type_of(block)); }
  /// Of all blocks.
  std::uint64_t bytes() const;
  /// Of a block, where they differ in the mean.
  std::uint64_t mean_bytes() const { return blocks == 0 ? 0 : bytes() / static_cast<std::uint64_t>(blocks); }

private:
  std::size_t index_of(int block) const {
    THALWEG_ASSERT(normal, block >= 0 && block < blocks);
    return static_cast<std::size_t>(first + block);
  }
};

struct Sides {
  Side gives;
  Side takes;
  bool is_given_by_rank = false;
  bool is_taken_by_rank = false;

  /// Where ranks exchange blocks, the side on which this one has a block for each of them, and else the only
  /// block that it has. What it takes goes first: in place, that is what counts.
  const Side& of_blocks() const {
    return takes.is_significant && is_taken_by_rank   ? takes
           : gives.is_significant && is_given_by_rank ? gives
           : gives.is_significant                     ? gives
                                                      : takes;
  }
  /// Bytes of a unit of the operation's buffers (schedule/buffers.hpp); of unequal ones the mean.
  std::uint64_t unit_bytes() const {
    const Side& side = of_blocks();
    return side.is_significant ? side.mean_bytes() : 0;
  }
};

/// The ranks of a call, as its arguments count them.
struct CallRanks {
  int rank;
  int size;
  int remote_size = 0; ///< of an intercommunicator
  bool inter = false;
  int sources = 0; ///< neighbors, of neighborhood collectives
  int destinations = 0;

  /// With whom this rank exchanges blocks.
  int others() const { return inter ? remote_size : size; }
};

/// Without the neighbors.
inline CallRanks ranks_of(const CommunicatorState& communicator) {
  return {.rank = communicator.rank,
          .size = communicator.size,
          .remote_size = communicator.remote_size,
          .inter = communicator.inter};
}
CallRanks ranks_of(Operation operation, CommunicatorState& communicator);

bool is_at_root(const CollectiveCall& call, const CallRanks& ranks);

/// What the call's own arguments say of what it gives and takes: where MPI_IN_PLACE stands for a buffer,
/// nothing.
Side given_arguments(const CollectiveCall& call, const CallRanks& ranks);
Side taken_arguments(const CollectiveCall& call, const CallRanks& ranks);

/// The same with MPI_IN_PLACE replaced by what it stands for. Of a call whose arguments are right.
Sides sides_of(const CollectiveCall& call, const CallRanks& ranks);

/// The block of this rank alone, of a side with one for each.
Side own_block(const Side& row, int rank);

inline Sides sides_of(const CollectiveCall& call, CommunicatorState& communicator) {
  return sides_of(call, ranks_of(call.function->operation, communicator));
}

/// Bytes of the buffer that this rank hands to the operation, or takes from it where it hands in nothing:
/// what the report calls bytes. The root of a gather hands in little, and takes all.
std::uint64_t payload_bytes(const CollectiveCall& call, const CallRanks& ranks);

inline std::uint64_t payload_bytes(const CollectiveCall& call, CommunicatorState& communicator) {
  return payload_bytes(call, ranks_of(call.function->operation, communicator));
}

/// The ranks that get a block of this rank's, each with the bytes of it, were they sent straight; and not
/// itself. Not of neighborhoods, where a rank may be met several times.
template <typename Visit>
void visit_given_blocks(const CollectiveCall& call, const CallRanks& ranks, const Visit& visit) {
  THALWEG_ASSERT(light, !is_among_neighbors(call.function->operation));
  const Sides sides = sides_of(call, ranks);
  if (!sides.gives.is_significant)
    return;
  const bool is_for_root = operation_shape(call.function->operation).takes.ranks == SideShape::Ranks::root;
  const auto visit_other = [&](int rank) {
    if (ranks.inter || rank != ranks.rank)
      visit(rank, sides.gives.bytes_of(sides.is_given_by_rank ? rank : 0));
  };
  if (is_for_root)
    visit_other(call.root);
  for (int rank = 0; !is_for_root && rank < ranks.others(); ++rank)
    visit_other(rank);
}

/// The same of a neighborhood: its destinations, each with the bytes of its block.
template <typename Visit>
void visit_blocks_to_neighbors(const CollectiveCall& call, CommunicatorState& communicator,
                               const std::vector<int>& destinations, const Visit& visit) {
  THALWEG_ASSERT(light, is_among_neighbors(call.function->operation));
  const Side gives = given_arguments(call, ranks_of(call.function->operation, communicator));
  const bool is_one_for_all =
      operation_shape(call.function->operation).gives.blocks == SideShape::Blocks::one;
  for (std::size_t index = 0; index < destinations.size(); ++index)
    visit(destinations[index], gives.bytes_of(is_one_for_all ? 0 : static_cast<int>(index)));
}

} // namespace thalweg::mpi

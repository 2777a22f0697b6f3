// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a schedule is asked for: an operation, and all that schedules may depend on.

#include "base/rank.hpp"
#include "schedule/block.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace thalweg::schedule {

/// What a collective does to blocks. The v- and w-variants are not separate operations: they are the same
/// schedules bound to blocks of unequal size (Sizes in schedule/buffers.hpp).
enum class Operation {
  barrier,
  broadcast,
  reduce,
  allreduce,
  gather,
  scatter,
  allgather,
  alltoall,
  reduce_scatter,
  scan,
  exscan,
  neighbor_allgather,
  neighbor_alltoall,
};

std::string_view name(Operation operation);
std::span<const Operation> all_operations();
/// The operation of that name, or nothing.
std::optional<Operation> parse_operation(std::string_view text);

/// Has a root: broadcast, reduce, gather, scatter.
bool is_rooted(Operation operation);
/// Combines contributions with an operator.
bool is_reduction(Operation operation);

/// A strategy's parameters by name, e.g. {"radix", 4}. Sizes are in bytes.
using Parameters = std::vector<std::pair<std::string, std::int64_t>>;

/// Whom one rank receives from and sends to in a neighborhood collective, in the order of its buffers'
/// units. The n-th entry of a rank b among a's destinations meets the n-th entry of a among b's sources.
struct Neighborhood {
  std::vector<Rank> sources;
  std::vector<Rank> destinations;
};

/// The phase of each of a rank's edges, in the order of its neighborhood; -1 for those that are no messages.
struct EdgePhases {
  std::vector<std::int32_t> sources = {};
  std::vector<std::int32_t> destinations = {};
};

/// Neighborhoods' messages in phases 0 .. count-1. In each a rank sends at most one, and receives at most
/// one.
struct PhasesOfEdges {
  std::int32_t count = 0;
  std::vector<EdgePhases> of_rank = {};
};

/// All ranks, each once, in orders that follow the machine (strategies/order.hpp). An empty one is the ranks'
/// own.
struct RankOrders {
  std::vector<Rank> tour = {};
  std::vector<Rank> places = {};
};

/// What a schedule is asked for. Everything here but a rank's own neighborhood is equal on all ranks of a
/// communicator, so that ranks that build their schedules apart build matching ones.
struct Problem {
  Operation operation = Operation::barrier;
  std::int32_t ranks = 1;
  Rank root = 0;
  /// The user's input lies in his output buffer, as with MPI_IN_PLACE; a schedule must then bear that
  /// input(k) and output(k) are the same memory (schedule/buffers.hpp says which).
  bool in_place = false;
  bool commutative = true;
  /// Bytes of one unit where all ranks agree on it, else 0. Only used to choose a number of pieces.
  std::int64_t unit_bytes = 0;
  Parameters parameters = {};
  /// The node of each rank (numbered from 0, any order), or null where unknown: all ranks on one node.
  std::shared_ptr<const std::vector<std::int32_t>> nodes = nullptr;
  /// The socket of each rank, numbered across nodes (a node's ranks that may move from socket to socket stand
  /// for one more), or null where no node has ranks on several.
  std::shared_ptr<const std::vector<std::int32_t>> sockets = nullptr;
  /// The switch of each rank's node, numbered from 0, any order; or null where unknown, or one for all.
  std::shared_ptr<const std::vector<std::int32_t>> leaves = nullptr;
  /// Orders other than the ranks' own in which a strategy may number them, or null where there is none.
  std::shared_ptr<const RankOrders> orders = nullptr;
  /// For neighborhood collectives: a rank's neighbors, indexed by rank. At run time only one's own entry is
  /// filled, but for strategies that use the graph.
  std::shared_ptr<const std::vector<Neighborhood>> neighborhoods = nullptr;
  /// The phases of their messages, where the strategy has some.
  std::shared_ptr<const PhasesOfEdges> phases = nullptr;

  /// Value of a parameter; the index fills in defaults before a schedule is built, so a miss is a
  /// programmer's error.
  std::int64_t parameter(std::string_view name) const;
  /// The same of a parameter that not all strategies of a kind have.
  std::int64_t parameter_or(std::string_view name, std::int64_t other) const;
};

} // namespace thalweg::schedule

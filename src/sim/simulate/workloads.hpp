// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Programs to simulate that nobody has recorded: those of LogGOPSim's generator, messages in rounds, and
// streams.

#include "simulate/goal.hpp"
#include "simulate/program.hpp"

#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace thalweg::simulate {

/// A message's costs, from its bytes.
using CostOf = std::function<MessageCost(std::int64_t bytes)>;

/// Programs to measure simulators with: those of LogGOPSim's generator Schedgen, operation for operation, so
/// that finish times can be compared to the nanosecond. The names that sample_program() knows: dissemination,
/// binomialtreebcast, linear_alltoall, allreduce_recdoub, allreduce_ring.
std::span<const std::string_view> sample_names();

/// That program. Throws Error for other names, for less than one rank, and for sizes below 0.
Program sample_program(std::string_view name, std::int64_t ranks, std::int64_t bytes, const CostOf& cost);

/// A message of a program in rounds: what a recording says of a phase, or a halo that is exchanged.
struct RoundMessage {
  Rank from = 0;
  Rank to = 0;
  std::int64_t bytes = 0;
  std::uint32_t round = 0;
};

/// In each round a rank sends and awaits all its messages of that round, in the order in which they are
/// given; when they have been sent and have come, its next round begins. What a rank sends itself is left
/// out. Throws Error for ranks that do not exist, and for sizes below 0. O(messages log messages).
Program exchange_program(std::int64_t ranks, std::span<const RoundMessage> messages, const CostBetween& cost);

/// A stream of items that ranks send to all others, in buffers over a virtual mesh (topology's
/// virtual_mesh.hpp; Wesolowski and others 2014, "TRAM"; docs/streams.md).
struct StreamLoad {
  std::vector<std::int32_t> sides; ///< of the mesh: as topology::VirtualMesh takes them
  std::int64_t items = 0;          ///< that each rank sends, equally many to each rank
  std::int64_t item_bytes = 8;
  std::int64_t tag_bytes = 2;        ///< what an item has on top as long as it is not on its last way
  std::int64_t buffer_bytes = 16384; ///< a buffer is sent when it is so full
  double item_nanoseconds = 1;       ///< of a processor, to put an item into a buffer, or to take it out
};

/// The program of `ranks` ranks. A rank makes items as fast as it can, and sends its buffers of a dimension
/// when they are full; those of later dimensions when so much has come that they are. The ends of buffers are
/// those of the mean: each rank sends to all alike. Throws Error for sides that hold no such mesh, and for
/// numbers below 1, or that make too large a program.
Program stream_program(std::int64_t ranks, const StreamLoad& load, const CostBetween& cost);

} // namespace thalweg::simulate

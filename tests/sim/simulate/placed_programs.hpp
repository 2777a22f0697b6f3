// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Programs on networks, packet by packet or as flows, for tests.

#include "programs.hpp"
#include "simulate/schedules.hpp"
#include "simulate/simulation.hpp"

namespace thalweg::simulate {

inline constexpr LogGops no_rendezvous{.S = 1 << 30};

inline RankNetwork network(const std::string& name, std::uint32_t ranks, const PacketLevel& level = {}) {
  RankNetwork made{.interconnect = topology::parse_interconnect(name, ranks), .nodes = {}};
  made.packets = level;
  made.packets->options.routers.switch_delay = 0;
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    made.nodes.push_back(rank);
  return made;
}

inline RankNetwork as_flow(const RankNetwork& between) {
  return {.interconnect = between.interconnect, .nodes = between.nodes, .hop_latency = between.hop_latency};
}

inline Result run(const Program& program, const RankNetwork& between) {
  return simulate(program, {.network = &between}).result;
}

inline Program of_strategy(const std::string& selection, std::int32_t ranks, std::int64_t bytes) {
  const auto sample =
      strategies::make_sample(selection, {.ranks = ranks, .ranks_per_node = 1, .unit_bytes = bytes});
  return program_of(sample, {.unit_bytes = bytes}, no_rendezvous, ~std::uint64_t{0}).program;
}

/// Each rank sends to as many others as are given, at a distance, and all at once.
inline Program neighbors(std::uint32_t ranks, const std::vector<std::uint32_t>& distances,
                         std::int64_t bytes) {
  ProgramBuilder builder(ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    for (const std::uint32_t distance : distances) {
      builder.send((rank + distance) % ranks, distance, no_rendezvous.cost(bytes));
      builder.receive((rank + ranks - distance) % ranks, distance);
    }
    builder.end_rank();
  }
  return builder.finish();
}

} // namespace thalweg::simulate

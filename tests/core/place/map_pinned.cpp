// SPDX-License-Identifier: BSD-3-Clause
#include "place/map.hpp"
#include "place/rank_order.hpp"
#include "topology/interconnect.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace thalweg::place {
namespace {

pattern::Pattern ring_pattern(std::int32_t tasks) {
  std::vector<pattern::Edge> edges;
  for (std::int32_t task = 0; task < tasks; ++task) {
    edges.push_back({task, (task + 1) % tasks, 1000, 1});
    edges.push_back({(task + 1) % tasks, task, 1000, 1});
  }
  return {tasks, {{"all", 1, {tasks, std::move(edges)}}}};
}

/// So many ranks on each of the hosts, which are dealt out in a random order.
machine::Allocation shuffled_hosts(const std::string& network, std::int32_t hosts, std::int32_t on_host,
                                   unsigned seed) {
  topology::NodePlaces known{network, hosts, {}};
  known.places.resize(static_cast<std::size_t>(hosts));
  std::iota(known.places.begin(), known.places.end(), 0);
  std::ranges::shuffle(known.places, std::mt19937(seed));
  std::vector<int> nodes;
  for (std::int32_t rank = 0; rank < hosts * on_host; ++rank)
    nodes.push_back(rank / on_host);
  return job_allocation(known, nodes, hosts);
}

TEST(Pinned, FirstTaskKeepsFirstSlot) {
  for (const char* const network : {"ring", "torus:4x2", "star", "fat-tree:4x2"}) {
    for (unsigned seed = 1; seed < 6; ++seed) {
      for (const std::int32_t on_host : {1, 2}) {
        const machine::Allocation allocation = shuffled_hosts(network, 8, on_host, seed);
        const Result result = map_pinned(ring_pattern(8 * on_host), allocation, {.proposals = 20000});
        EXPECT_EQ(result.slot_of.front(), 0);
        Slots sorted = result.slot_of;
        std::ranges::sort(sorted);
        for (std::size_t slot = 0; slot < sorted.size(); ++slot)
          EXPECT_EQ(sorted[slot], static_cast<std::int32_t>(slot));
        EXPECT_LE(result.placed.hop_bytes, result.identity.hop_bytes);
      }
    }
  }
}

TEST(Pinned, ARingOnARingCostsNothing) {
  for (unsigned seed = 1; seed < 6; ++seed) {
    const machine::Allocation allocation = shuffled_hosts("ring", 8, 1, seed);
    const Result result = map_pinned(ring_pattern(8), allocation, {.proposals = 20000});
    EXPECT_DOUBLE_EQ(result.placed.hops_per_byte, 3); // host, next switch, host
  }
}

/// Pairs that exchange much, and ranks that all speak to the first one a little, as at a program's end.
pattern::Pattern pairs_pattern(std::int32_t tasks) {
  std::vector<pattern::Edge> edges;
  for (std::int32_t task = 0; task < tasks; ++task) {
    edges.push_back({task, task ^ 1, 65536, 1});
    if (task > 1)
      edges.push_back({task, task & (task - 1), 8, 1});
  }
  return {tasks, {{"all", 1, {tasks, std::move(edges)}}}};
}

TEST(Pinned, LinksThatOthersUseAreAvoided) {
  constexpr Goal goal{.hop_bytes = 1, .contention = 1};
  for (const char* const network : {"ring", "torus:4x2*1,capacity=1:1:4"}) {
    for (unsigned seed = 4; seed < 6; ++seed) {
      machine::Allocation allocation = shuffled_hosts(network, 8, 1, seed);
      const topology::Interconnect& quiet = *allocation.interconnect;
      for (topology::Link link = 0; link < quiet.links(); ++link) {
        if (std::min(quiet.ends(link).from, quiet.ends(link).to) < quiet.nodes())
          continue; // a host's own, which all numberings use
        for (const double part : {0.25, 0.7}) {
          std::vector<double> parts(static_cast<std::size_t>(quiet.links()), 1);
          parts[static_cast<std::size_t>(link)] = part;
          const machine::Allocation seen{topology::with_busy_links(allocation.interconnect, parts),
                                         allocation.slots};
          const Result result = map_pinned(pairs_pattern(8), seen, {.goal = goal, .proposals = 20000});
          EXPECT_LT(result.placed.phase_link_max, 66000)
              << part << " of " << quiet.link_name(link) << " of " << network << ", seed " << seed;
        }
      }
    }
  }
}

} // namespace
} // namespace thalweg::place

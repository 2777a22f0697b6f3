// SPDX-License-Identifier: BSD-3-Clause

// Where levels packet and flow say the same of programs, and where they cannot.

#include "placed_programs.hpp"

#include <array>
#include <gtest/gtest.h>

namespace thalweg::simulate {
namespace {

double flow_over_packet(const Program& program, const char* name, const packet::RouterOptions& routers) {
  RankNetwork between = network(name, program.size());
  between.packets->options.routers = routers;
  between.packets->options.routers.switch_delay = 0;
  return static_cast<double>(run(program, as_flow(between)).finish) /
         static_cast<double>(run(program, between).finish);
}

constexpr packet::RouterOptions few{.buffers = 4};
constexpr std::array networks{"torus:8x8",       "torus:8x8*1", "mesh:8x8",    "hypercube:6",
                              "dragonfly:2x4x2", "tree:8^2",    "xgft:8x8:1x4"};

/// What flows are the limit of: much room, equal parts of links for all who talk, and little packets.
constexpr packet::RouterOptions nearly_flows{
    .packet_bytes = 64, .buffers = 2048, .arbitration = packet::Arbitration::fair};

/// Each rank sends to three others, whichever, of one message or two each, all at once.
Program scattered(std::mt19937_64& random, std::uint32_t ranks) {
  ProgramBuilder builder(ranks);
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> received(ranks);
  std::vector<std::vector<std::pair<std::uint32_t, std::int64_t>>> sent(ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    for (int i = 0; i < 3; ++i) {
      const auto to = static_cast<std::uint32_t>((rank + 1 + below(random, ranks - 1)) % ranks);
      for (std::uint64_t left = 1 + below(random, 2); left > 0; --left) {
        received[to].emplace_back(rank, sent[rank].size());
        sent[rank].emplace_back(to, 8192 + below(random, 32768));
      }
    }
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    for (std::uint32_t i = 0; i < sent[rank].size(); ++i)
      builder.send(sent[rank][i].first, i, no_rendezvous.cost(sent[rank][i].second));
    for (const auto& [from, tag] : received[rank])
      builder.receive(from, tag);
    builder.end_rank();
  }
  return builder.finish();
}

// Whatever the network: as routes are the same, so are times.
TEST(PacketsAndFlows, AgreeInTheirCommonLimit) {
  for (const char* const name : networks)
    for (const auto& [selection, bytes] :
         std::initializer_list<std::pair<const char*, std::int64_t>>{{"alltoall=direct", 512},
                                                                     {"allreduce=ring", 16384},
                                                                     {"allreduce=rabenseifner", 32768},
                                                                     {"allreduce=recursive_doubling", 16384},
                                                                     {"allgather=ring", 4096}})
      EXPECT_NEAR(flow_over_packet(of_strategy(selection, 64, bytes), name, nearly_flows), 1, 0.1)
          << name << " " << selection;
}

TEST(PacketsAndFlows, AgreeForMessagesToWhomever) {
  for (std::uint64_t seed = 1; seed <= 2; ++seed)
    for (const char* const name : networks) {
      std::mt19937_64 random(seed);
      EXPECT_NEAR(flow_over_packet(scattered(random, 64), name, nearly_flows), 1, 0.1) << name << " " << seed;
    }
}

// Between two ranks one message goes after the other, so the first does not wait for the second.
TEST(PacketsAndFlows, KeepMessagesBetweenTwoRanksInOrder) {
  ProgramBuilder builder(2);
  builder.send(1, 0, no_rendezvous.cost(30000));
  builder.send(1, 1, no_rendezvous.cost(30000));
  builder.end_rank();
  builder.receive(0, 0);
  builder.receive(0, 1);
  builder.end_rank();
  const Program program = builder.finish();
  for (const RankNetwork& between : {network("mesh:2", 2), as_flow(network("mesh:2", 2))}) {
    const auto [found, timeline, deliveries] = simulate(program, {.has_timeline = true, .network = &between});
    EXPECT_EQ(deliveries.size(), 2U);
    std::vector<Ticks> taken;
    for (const Segment& segment : timeline)
      if (segment.rank == 1 && segment.kind == CostKind::overhead)
        taken.push_back(segment.begin);
    const Ticks alone = 29999 * 6;
    ASSERT_EQ(taken.size(), 2U);
    EXPECT_NEAR(taken[0], 1500 + 2500 + alone, 1);
    EXPECT_NEAR(taken[1], 1500 + 2500 + 2 * alone, 1);
    EXPECT_EQ(found.path.front().begin, 0);
    EXPECT_EQ(found.path.back().end, found.finish);
  }
}

// Few buffers and turns by input are enough for that, where programs leave links room.
TEST(PacketsAndFlows, AreOftenNearWithFewBuffers) {
  constexpr std::uint32_t ranks = 64;
  for (const char* const name : {"tree:8^2", "tree:4^3", "torus:8x8", "dragonfly:2x4x2"}) {
    const bool is_tree = std::string(name).starts_with("tree");
    for (const char* const selection :
         {"alltoall=cyclic", "allreduce=ring", "allreduce=recursive_doubling"}) {
      if (!is_tree && std::string(selection) == "allreduce=recursive_doubling")
        continue;
      EXPECT_NEAR(flow_over_packet(of_strategy(selection, ranks, 4096), name, few), 1, 0.1)
          << name << " " << selection;
    }
    EXPECT_NEAR(flow_over_packet(neighbors(ranks, {1, 8, 56, 63}, 16384), name, few), 1, 0.1) << name;
  }
}

// Tori that are full lose up to two thirds by a few buffers, and nothing where there are many.
TEST(PacketsAndFlows, DifferWhereBuffersFill) {
  const Program direct = of_strategy("alltoall=direct", 64, 2048);
  EXPECT_LT(flow_over_packet(direct, "torus:8x8", few), 0.6);
  EXPECT_NEAR(flow_over_packet(direct, "torus:8x8", {.buffers = 256}), 1, 0.05);
  const Program exchange = of_strategy("allreduce=recursive_doubling", 16, 16384);
  EXPECT_LT(flow_over_packet(exchange, "ring:16", few), 0.8);
  EXPECT_NEAR(flow_over_packet(exchange, "ring:16", {.buffers = 256}), 1, 0.05);
}

} // namespace
} // namespace thalweg::simulate

// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/gains.hpp"

#include "mpi/observe/locations.hpp"
#include "mpi/observe/merging.hpp"

#include <gtest/gtest.h>

namespace thalweg::mpi::observe {
namespace {

struct Exchange {
  const char* function = "MPI_Alltoallv";
  int ranks = 16;
  std::uint64_t blocks = 15; // of a rank in a call
  std::uint64_t block_bytes = 16;
  std::uint64_t calls = 1000; // of a rank
  double call_ns = 60'000;
  const char* strategy = "native";
};

Profile profile_of(const Exchange& exchange) {
  std::vector<RankProfile> ranks(static_cast<std::size_t>(exchange.ranks));
  for (int rank = 0; rank < exchange.ranks; ++rank) {
    RankProfile& own = ranks[static_cast<std::size_t>(rank)];
    own.rank = rank;
    own.wall_ns = 1e9;
    const double ns = exchange.call_ns * static_cast<double>(exchange.calls);
    own.calls.push_back({exchange.function,
                         {"/bin/app", 0x40},
                         0,
                         exchange.ranks,
                         exchange.calls,
                         exchange.calls * exchange.blocks * exchange.block_bytes,
                         ns,
                         0,
                         ns,
                         {{{exchange.strategy, ""}, exchange.calls}},
                         exchange.calls * exchange.blocks});
  }
  Profile result = merge(std::move(ranks), find_source);
  result.sites[0].source = "graph.c:7 (visit)";
  return result;
}

/// Messages cost all there is, or bytes do; both as the model might say.
ExchangeShares of_messages(int ranks, double blocks, double /*block_bytes*/) {
  return {.mesh = 6.0 / (ranks - 1), .sparse = blocks / (ranks - 1)};
}
ExchangeShares of_bytes(int /*ranks*/, double /*blocks*/, double /*block_bytes*/) {
  return {.mesh = 2, .sparse = 1};
}

std::optional<ExchangeGain> gain_of(const Exchange& exchange, const SharesOfExchange& shares = of_messages) {
  return exchange_gain(profile_of(exchange).sites[0], shares);
}

TEST(ExchangeGain, IsAMeshsWhereAllHaveBlocks) {
  const auto gain = gain_of({});
  ASSERT_TRUE(gain);
  EXPECT_EQ(gain->use, "alltoallv=mesh2d");
  EXPECT_DOUBLE_EQ(gain->blocks, 15);
  EXPECT_DOUBLE_EQ(gain->block_bytes, 16);
  EXPECT_NEAR(gain->use_ns / gain->call_ns, 0.4, 0.001);
  EXPECT_GT(gain->saved_ns, 0);
}

TEST(ExchangeGain, FollowsTheMachine) {
  const Profile profile = profile_of({});
  const auto by_bytes = gain_of({}, of_bytes);
  ASSERT_TRUE(by_bytes) << "a stream is worth it";
  EXPECT_GE(by_bytes->use_ns, by_bytes->call_ns);
  Profile carried = profile;
  carried.shares_of_exchange = of_bytes;
  EXPECT_EQ(exchange_lines(carried).find("--use"), std::string::npos);
  EXPECT_NE(exchange_lines(carried).find("as a phase of a stream"), std::string::npos);
}

TEST(ExchangeGain, NamesNoStrategyWhereNoMachineIsKnown) {
  const auto gain = gain_of({}, {});
  ASSERT_TRUE(gain);
  EXPECT_EQ(gain->use, "");
  EXPECT_EQ(exchange_lines(profile_of({})).find("--use"), std::string::npos);
}

TEST(ExchangeGain, IsThatOfSparseBlocksWhereFewHaveAny) {
  const auto gain = gain_of({.blocks = 1});
  ASSERT_TRUE(gain);
  EXPECT_EQ(gain->use, "alltoallv=sparse");
  EXPECT_NEAR(gain->use_ns / gain->call_ns, 1.0 / 15, 0.001);
}

TEST(ExchangeGain, IsNoneWhereNothingIsToBeHad) {
  EXPECT_FALSE(gain_of({.function = "MPI_Alltoall"})) << "blocks are counted of alltoallv alone";
  EXPECT_FALSE(gain_of({.block_bytes = 4096})) << "long blocks";
  EXPECT_FALSE(gain_of({.calls = 10})) << "few calls";
  EXPECT_FALSE(gain_of({.strategy = "mesh2d"})) << "no call of the library's";
  EXPECT_FALSE(gain_of({.ranks = 2, .blocks = 1, .call_ns = 500})) << "two ranks, and no time to save";
}

TEST(ExchangeGain, IsNamedWithItsRemedy) {
  Profile profile = profile_of({});
  profile.shares_of_exchange = of_messages;
  const std::string lines = exchange_lines(profile);
  EXPECT_NE(lines.find("short blocks: MPI_Alltoallv at graph.c:7 (visit): 16000 calls of 16 ranks with 15.0 "
                       "blocks of 16 B each took 60.0 us; with --use alltoallv=mesh2d about 24.0 us; as a "
                       "phase of a stream about "),
            std::string::npos)
      << lines;
  EXPECT_EQ(exchange_lines(profile_of({.calls = 100})), "") << "a small share of all time";
}

} // namespace
} // namespace thalweg::mpi::observe

// SPDX-License-Identifier: BSD-3-Clause
#include "base/error.hpp"
#include "programs.hpp"
#include "simulate/schedules.hpp"
#include "simulate/simulation.hpp"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <numeric>

namespace thalweg::simulate {
namespace {

constexpr LogGops no_rendezvous{.S = 1 << 30};

RankNetwork network(const std::string& name, std::uint32_t ranks, std::uint32_t ranks_per_node = 1) {
  RankNetwork made{.interconnect = topology::parse_interconnect(name, ranks / ranks_per_node), .nodes = {}};
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    made.nodes.push_back(rank / ranks_per_node);
  return made;
}

Result flow(const Program& program, const RankNetwork& between) {
  return simulate(program, {.network = &between}).result;
}

Program incast(std::uint32_t senders, std::int64_t bytes) {
  ProgramBuilder builder(senders + 1);
  for (std::uint32_t sender = 1; sender <= senders; ++sender)
    builder.receive(sender, 0);
  builder.end_rank();
  for (std::uint32_t sender = 1; sender <= senders; ++sender) {
    builder.send(0, 0, no_rendezvous.cost(bytes));
    builder.end_rank();
  }
  return builder.finish();
}

Program of_strategy(const std::string& selection, std::int32_t ranks, std::int64_t bytes) {
  const auto sample =
      strategies::make_sample(selection, {.ranks = ranks, .ranks_per_node = 1, .unit_bytes = bytes});
  return program_of(sample, {.unit_bytes = bytes}, no_rendezvous, ~std::uint64_t{0}).program;
}

// A message: overhead, its bytes on the links, latency, overhead. Many to one share the last link, and their
// receiver takes one after the other.
TEST(Flow, HasTheClosedFormOfAnIncast) {
  for (const std::uint32_t senders : {1U, 2U, 3U, 8U, 100U}) {
    const Result found = flow(incast(senders, 10001), network("star", senders + 1));
    EXPECT_EQ(found.finish,
              1500 + Ticks{60000} * senders + 2500 + 1500 + std::max(1500, 1000) * (senders - 1));
    const Ticks plain = simulate(incast(senders, 10001), {}).result.finish;
    EXPECT_NEAR(static_cast<double>(plain) / static_cast<double>(found.finish), 1, 0.05) << senders;
  }
}

// Where no two messages cross a link at once, both levels say the same, to the nanosecond.
TEST(Flow, IsLoggpWhereNothingIsShared) {
  for (const auto& [name, selection] :
       std::initializer_list<std::pair<const char*, const char*>>{{"star", "allgather=ring"},
                                                                  {"star", "allreduce=recursive_doubling"},
                                                                  {"star", "allreduce=rabenseifner"},
                                                                  {"star", "barrier=dissemination"},
                                                                  {"star", "alltoall=bruck"},
                                                                  {"torus:16", "reduce_scatter=ring"},
                                                                  {"tree:4^2", "allgather=hypercube"},
                                                                  {"dragonfly:4x4x1", "broadcast=chain"},
                                                                  {"tree:2^4", "allreduce=ring"}})
    for (const std::int64_t bytes : {1, 5000}) {
      const Program program = of_strategy(selection, 16, bytes);
      const RankNetwork between = network(name, 16);
      EXPECT_EQ(flow(program, between).ends, simulate(program, {}).result.ends) << name << " " << selection;
    }
}

TEST(Flow, IsLoggpBetweenRanksOfANode) {
  const Program program = of_strategy("alltoall=cyclic", 12, 5000);
  const RankNetwork between = network("star", 12, 12);
  const Result found = flow(program, between);
  EXPECT_EQ(found.ends, simulate(program, {}).result.ends);
  EXPECT_TRUE(found.links.empty());
}

TEST(Flow, CountsTheLatencyOfLinks) {
  const Program program = of_strategy("broadcast=chain", 4, 100);
  RankNetwork between = network("mesh:4", 4);
  const Ticks before = flow(program, between).finish;
  between.hop_latency = 70;
  EXPECT_EQ(flow(program, between).finish, before + 3 * 70);
  between.shares_links = false;
  EXPECT_EQ(flow(program, between).finish, before + 3 * 70);
  std::ranges::swap(between.nodes[1], between.nodes[2]); // 0 2 1 3: two, one and two hops
  EXPECT_EQ(flow(program, between).finish, before + 5 * 70);
}

void expect_whole(const Program& program, const Result& result) {
  Ticks time = 0;
  for (const Segment& segment : result.path) {
    ASSERT_EQ(segment.begin, time);
    ASSERT_LT(segment.begin, segment.end);
    time = segment.end;
  }
  EXPECT_EQ(time, result.finish);
  EXPECT_EQ(result.events, program.operation_count + result.messages);
}

// Whatever the program and the network: it comes to its end, the critical path is whole, links are busy for
// no longer than there was time, and carry what was sent. Nothing makes a message faster than it is alone.
TEST(Flow, KeepsItsPromisesForRandomPrograms) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const RandomProgram made(random, 9, 300, 60000);
    LogGops parameters{.o = seed % 4 == 0 ? 0.0 : 1500.0};
    parameters.S = seed % 3 == 0 ? 65535 : 5000;
    const Program program = made.built(loggops(parameters));
    const char* const name = std::array{"torus:3x3", "tree:3^2", "mesh:9", "mesh:3x3,route=split"}[seed % 4];
    const RankNetwork between = network(name, 9);
    const Result found = flow(program, between);
    expect_whole(program, found);
    for (const model::LinkLoad& link : found.links)
      EXPECT_LE(link.busy, static_cast<double>(found.finish) * (1 + 1e-9));
    EXPECT_EQ(fingerprint(flow(program, between)), fingerprint(found));
  }
}

// The links that a message waits for are named.
TEST(Flow, SaysWhichLinkItWaitedFor) {
  const Result found = flow(incast(8, 10001), network("star", 9));
  const auto links = by_link(found.path);
  ASSERT_EQ(links.size(), 1U);
  EXPECT_EQ(links[0].second, 8 * 60000);
  const RankNetwork between = network("star", 9);
  EXPECT_EQ(between.interconnect->ends(links[0].first).to, 0);
  EXPECT_EQ(by_kind(found.path)[static_cast<std::size_t>(CostKind::sharing)], 7 * 60000);
  const auto most = std::ranges::max_element(found.links, {}, &model::LinkLoad::busy);
  EXPECT_EQ(most->link, links[0].first);
  EXPECT_DOUBLE_EQ(most->bytes, 8 * 10001);
}

// The same bits for every run, machine and optimization level.
TEST(Flow, HasTheSameBitsEverywhere) {
  const Program program = of_strategy("alltoall=cyclic", 72, 3001);
  const Result found = flow(program, network("dragonfly:2x4x2", 72));
  EXPECT_EQ(found.finish, 9788608);
  EXPECT_EQ(fingerprint(found), 4365304327406700736U);
}

TEST(Flow, RefusesWhatHasNoPlace) {
  const Program program = of_strategy("allgather=ring", 8, 8);
  EXPECT_THROW(flow(program, network("star", 7)), Error);
  const auto sample = strategies::make_sample("allgather=ring", {.ranks = 64, .ranks_per_node = 1});
  const Program folded = program_of(sample, {.unit_bytes = 8}, no_rendezvous, 0).program;
  EXPECT_THROW(flow(folded, network("star", 64)), Error);
}

} // namespace
} // namespace thalweg::simulate

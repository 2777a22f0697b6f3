// SPDX-License-Identifier: BSD-3-Clause

// Level packet for programs: what it has to have in common with the other levels, and what it alone knows.

#include "base/error.hpp"
#include "placed_programs.hpp"
#include "simulate/simulation.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace thalweg::simulate {
namespace {

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

Program one_message(std::uint32_t ranks, std::uint32_t to, std::int64_t bytes) {
  ProgramBuilder builder(ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    if (rank == 0)
      builder.send(to, 0, no_rendezvous.cost(bytes));
    if (rank == to)
      builder.receive(0, 0);
    builder.end_rank();
  }
  return builder.finish();
}

// Where no two messages cross a link at once and routers take no time, all levels say the same.
TEST(Packets, AreLoggpWhereNothingIsShared) {
  for (const auto& [name, selection] :
       std::initializer_list<std::pair<const char*, const char*>>{{"star", "allgather=ring"},
                                                                  {"star", "allreduce=recursive_doubling"},
                                                                  {"star", "allreduce=rabenseifner"},
                                                                  {"star", "barrier=dissemination"},
                                                                  {"torus:16", "reduce_scatter=ring"},
                                                                  {"tree:4^2", "allgather=hypercube"},
                                                                  {"dragonfly:4x4x1", "broadcast=chain"},
                                                                  {"xgft:4x4:2x2", "broadcast=chain"},
                                                                  {"tree:2^4", "allreduce=ring"}})
    for (const std::int64_t bytes : {1, 5000}) {
      const Program program = of_strategy(selection, 16, bytes);
      EXPECT_EQ(run(program, network(name, 16)).ends, simulate(program, {}).result.ends)
          << name << " " << selection;
    }
}

// A message through s switches and h links: overheads, latency, its bytes once, and what delays its head.
TEST(Packets, ALoneMessageTakesWhatItsDelaysAre) {
  struct Case {
    const char* name;
    std::uint32_t to;
    Ticks hops;
    Ticks switches;
  };
  for (const Case& one : {Case{"star:8", 7, 2, 1},
                          {"tree:4^3", 63, 6, 5},
                          {"tree:4^3", 1, 2, 1},
                          {"torus:4x4", 10, 4, 5},
                          {"torus:4x4*2", 31, 4, 3},
                          {"dragonfly:2x4x2", 71, 5, 4},
                          {"xgft:4x4:2x2", 15, 4, 5}})
    for (const std::int64_t bytes : {2, 256, 257, 10000}) {
      RankNetwork between = network(one.name, one.to + 1);
      between.hop_latency = 20;
      between.packets->options.routers.switch_delay = 90'000;
      const Result found = run(one_message(one.to + 1, one.to, bytes), between);
      EXPECT_EQ(found.finish, 1500 + 2500 + (bytes - 1) * 6 + one.hops * 20 + one.switches * 90 + 1500)
          << one.name << " " << bytes;
      EXPECT_EQ(found.packets, static_cast<std::uint64_t>((bytes + 255) / 256));
      EXPECT_EQ(found.packet_hops, found.packets * static_cast<std::uint64_t>(one.switches));
      EXPECT_EQ(by_kind(found.path)[static_cast<std::size_t>(CostKind::sharing)], 0);
    }
}

// An acknowledgement is under way from when the head has come. If it is back before the packet has been sent,
// nothing is lost.
TEST(Packets, AWindowLetsSoManyGoAtATime) {
  RankNetwork between = network("tree:4^3", 64);
  between.hop_latency = 500;
  between.packets->options.window = 1;
  const Ticks packet = 256 * 6;
  const Ticks latency = 6 * 500;
  const auto time = [&](std::int64_t packets) {
    return run(one_message(64, 63, packets * 256 + 1), between).finish;
  };
  between.packets->options.turnaround = 300'000;
  EXPECT_NEAR(time(10) - time(9), 2 * latency + 300, 1); // picoseconds are rounded up
  between.packets->options.window = 3;
  EXPECT_NEAR(time(16) - time(10), 2 * (2 * latency + 300), 1);
  between.packets->options.window = 5;
  EXPECT_NEAR(time(16) - time(10), 6 * packet, 1);
}

// Eight senders to one: the link to it decides, which a receiver's gap stands for on level loggp.
TEST(Packets, LoggpWithAReceiversGapIsNearForAnIncast) {
  for (const std::int64_t bytes : {8192, 65536, 1 << 20}) {
    const Program program = incast(8, bytes);
    const auto packet = static_cast<double>(run(program, network("star", 9)).finish);
    EXPECT_NEAR(static_cast<double>(simulate(program, {}).result.finish) / packet, 1, 0.05) << bytes;
    EXPECT_NEAR(static_cast<double>(run(program, as_flow(network("star", 9))).finish) / packet, 1, 0.05)
        << bytes;
  }
}

// Whatever the program, the network and the routing: it comes to its end, the path is whole, and each message
// has its packets.
TEST(Packets, KeepTheirPromisesForRandomPrograms) {
  struct Case {
    const char* name;
    const char* routing;
  };
  constexpr std::array cases{Case{"torus:3x3", ""},          Case{"tree:3^2", "adaptive_up"},
                             Case{"mesh:9", "along_routes"}, Case{"torus:3x3", "ugal"},
                             Case{"xgft:3x3:2x2", ""},       Case{"xgft:3x3:1x2,capacity=1:2", "adaptive_up"},
                             Case{"torus:3x3*1", "valiant"}, Case{"dragonfly:1x3x1", "ugal"}};
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const RandomProgram made(random, 9, 200, 20000);
    LogGops parameters{.o = seed % 4 == 0 ? 0.0 : 1500.0};
    parameters.S = seed % 3 == 0 ? 65535 : 5000;
    const Program program = made.built(loggops(parameters));
    const Case& one = cases[seed % cases.size()];
    PacketLevel level{.routing = one.routing};
    level.options.routers.buffers = 1 + seed % 3;
    level.options.routers.packet_bytes = 300;
    level.options.window = seed % 5 == 0 ? 2 : 0;
    if (seed % 2 == 0)
      level.options.routers.credits = packet::CreditRule::link;
    RankNetwork between = network(one.name, 9, level);
    between.hop_latency = static_cast<Ticks>(seed % 4) * 30;
    const Result found = run(program, between);
    Ticks time = 0;
    for (const Segment& segment : found.path) {
      ASSERT_EQ(segment.begin, time);
      time = segment.end;
    }
    EXPECT_EQ(time, found.finish);
    std::uint64_t packets = 0;
    for (const auto& rank : made.ranks)
      for (const auto& operation : rank)
        if (operation.kind == Kind::send && operation.amount > 1)
          packets += static_cast<std::uint64_t>((operation.amount + 299) / 300);
    EXPECT_EQ(found.packets, packets);
    for (const model::LinkLoad& link : found.links)
      EXPECT_LE(link.busy, static_cast<double>(found.finish));
    EXPECT_EQ(fingerprint(run(program, between)), fingerprint(found));
  }
}

TEST(Packets, SayWhichLinkAMessageWaitedFor) {
  const RankNetwork between = network("star", 9);
  const Result found = run(incast(8, 10001), between);
  const auto links = by_link(found.path);
  ASSERT_EQ(links.size(), 1U);
  EXPECT_EQ(between.interconnect->ends(links[0].first).to, 0);
  EXPECT_NEAR(by_kind(found.path)[static_cast<std::size_t>(CostKind::sharing)], 7 * 60000, 1536);
  const auto most = std::ranges::max_element(found.links, {}, &model::LinkLoad::busy);
  EXPECT_EQ(most->link, links[0].first);
  EXPECT_DOUBLE_EQ(most->bytes, 8 * 10001);
}

// A tree as the interconnect knows it, and the same as a file of cables.
TEST(Packets, GoThroughNetworksInFiles) {
  const auto path =
      std::filesystem::temp_directory_path() / ("thalweg-packets-" + std::to_string(::getpid()) + ".graph");
  std::ofstream(path) << "node a b c d\nswitch s t u\nlink a s\nlink b s\nlink c t\nlink d t\nlink s u\n"
                         "link t u\n";
  const RankNetwork from_file = network("graph:" + path.string(), 4);
  std::filesystem::remove(path);
  const RankNetwork tree = network("hierarchy:2x2", 4);
  for (const char* const selection : {"alltoall=cyclic", "allgather=ring", "allreduce=ring"}) {
    const Program program = of_strategy(selection, 4, 5000);
    EXPECT_EQ(run(program, from_file).ends, run(program, tree).ends) << selection;
  }
}

// The same bits for every run, machine and optimization level.
TEST(Packets, HaveTheSameBitsEverywhere) {
  const Program program = of_strategy("alltoall=cyclic", 72, 3001);
  const Result found = run(program, network("dragonfly:2x4x2", 72, {.routing = "ugal"}));
  EXPECT_EQ(found.finish, 4246515);
  EXPECT_EQ(fingerprint(found), 5582839506763521403U);
}

TEST(Packets, RefuseWhatCannotBe) {
  const Program program = of_strategy("allgather=ring", 8, 800);
  EXPECT_THROW(run(program, network("star", 7)), Error);
  EXPECT_THROW(run(program, network("star", 8, {.routing = "minimal"})), Error);
  EXPECT_THROW(run(program, network("tree:2^3,route=spread", 8, {.routing = "along_routes"})), Error);
  PacketLevel level;
  level.options.routers.buffers = 0;
  EXPECT_THROW(run(program, network("star", 8, level)), Error);
  ProgramBuilder slow(2);
  slow.send(1, 0, LogGops{.G = 1e8}.cost(1000));
  slow.end_rank();
  slow.receive(0, 0);
  slow.end_rank();
  EXPECT_THROW(run(slow.finish(), network("star", 2)), Error);
}

// Also while a single message is on its way.
TEST(Packets, AnExceptionOfTheProgressEndsThem) {
  PacketLevel level;
  level.options.routers.packet_bytes = 16;
  const RankNetwork between = network("star", 2, level);
  const Program program = one_message(2, 1, 1 << 23);
  struct Interrupted {};
  EXPECT_THROW(
      simulate(program, {.network = &between, .progress = [](std::uint64_t) { throw Interrupted(); }}),
      Interrupted);
}

// A receive that nobody sends to is named, though packets of others come.
TEST(Packets, AProgramThatCannotGoOnIsAnError) {
  ProgramBuilder builder(2);
  builder.send(1, 4, no_rendezvous.cost(5000));
  builder.end_rank();
  builder.receive(0, 5);
  builder.end_rank();
  try {
    run(builder.finish(), network("star", 2));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("rank 1, operation 0: waits for a message from rank 0, tag 5"),
              std::string::npos)
        << error.what();
  }
}

} // namespace
} // namespace thalweg::simulate

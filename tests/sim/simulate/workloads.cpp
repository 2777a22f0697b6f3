// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/workloads.hpp"

#include "base/error.hpp"
#include "programs.hpp"
#include "simulate/simulation.hpp"
#include "topology/virtual_mesh.hpp"

#include <gtest/gtest.h>
#include <numeric>

namespace thalweg::simulate {
namespace {

MessageCost plain_cost(std::int64_t bytes, std::uint32_t /*from*/, std::uint32_t /*to*/) {
  return LogGops{.S = 1 << 30}.cost(bytes);
}

RankNetwork each_on_its_node(const std::string& name, std::int64_t ranks) {
  RankNetwork network{.interconnect = topology::parse_interconnect(name), .nodes = {}};
  network.nodes.resize(static_cast<std::size_t>(ranks));
  std::iota(network.nodes.begin(), network.nodes.end(), topology::Place{0});
  return network;
}

std::vector<RoundMessage> halo(const topology::Interconnect& torus, std::int64_t bytes) {
  std::vector<RoundMessage> messages;
  for (topology::Link link = 0; link < torus.links(); ++link)
    if (const topology::LinkEnds ends = torus.ends(link); ends.from >= 0)
      messages.push_back({static_cast<Rank>(ends.from), static_cast<Rank>(ends.to), bytes, 0});
  return messages;
}

TEST(Exchange, PlaysRoundsOneAfterTheOther) {
  // Two ranks send each other a message in each of three rounds.
  std::vector<RoundMessage> messages;
  for (std::uint32_t round : {4U, 0U, 2U})
    for (const Rank from : {0, 1})
      messages.push_back({from, 1 - from, 101, round});
  messages.push_back({1, 1, 5000, 1});
  const Program program = exchange_program(2, messages, plain_cost);
  EXPECT_EQ(simulate(program, {}).result.finish, 3 * (1500 + 2500 + 1500 + 600));
  EXPECT_THROW(exchange_program(1, messages, plain_cost), Error);
  EXPECT_THROW(exchange_program(2, std::vector<RoundMessage>{{0, 1, -1, 0}}, plain_cost), Error);
}

// Neighbors on a torus have a link each, so their messages go at once.
TEST(Exchange, OfNeighborsSharesNoLink) {
  const RankNetwork network = each_on_its_node("torus:5x4x3", 60);
  const Program program = exchange_program(60, halo(*network.interconnect, 100001), plain_cost);
  const Result found = simulate(program, {.network = &network}).result;
  EXPECT_EQ(found.messages, 360U);
  EXPECT_EQ(found.links.size(), 360U);
  // Six messages are begun, the last is carried, and the receiver takes in what has not been taken in yet.
  EXPECT_EQ(found.finish, 6 * 1500 + 600000 + 2500 + 1500);
  EXPECT_LT(program.patterns.size(), 40U);
}

TEST(Stream, SendsEachItemAlongAllDimensions) {
  for (const std::int64_t ranks : {64, 61, 50}) {
    const StreamLoad load{.sides = {4, 4, 4}, .items = 6400, .item_bytes = 32, .buffer_bytes = 4096};
    const Program program = stream_program(ranks, load, plain_cost);
    const Result found = simulate(program, {}).result;
    std::uint64_t expected = 0;
    const topology::VirtualMesh mesh(static_cast<std::int32_t>(ranks), load.sides);
    for (Rank rank = 0; rank < ranks; ++rank)
      for (std::int32_t d = 0; d < mesh.dimensions(); ++d) {
        const std::int64_t bytes = 6400 / mesh.side(d) * (d + 1 == mesh.dimensions() ? 32 : 34);
        expected += mesh.receivers(rank, d).size() * static_cast<std::uint64_t>((bytes + 4095) / 4096);
      }
    EXPECT_EQ(found.messages, expected) << ranks;
    EXPECT_GT(found.finish, 3 * 6400);
  }
}

// Few items for many ranks: a mesh sends fewer messages, which is what it is for; many items: fewer bytes.
TEST(Stream, GainsByAMeshWhereItemsAreFew) {
  const auto seconds = [](std::vector<std::int32_t> sides, std::int64_t items) {
    const StreamLoad load{.sides = std::move(sides), .items = items, .item_bytes = 8};
    return simulate(stream_program(256, load, plain_cost), {}).result.finish;
  };
  EXPECT_LT(seconds({16, 16}, 256), seconds({256}, 256) / 3);
  EXPECT_GT(seconds({16, 16}, 1 << 18), seconds({256}, 1 << 18));
}

TEST(Stream, RefusesWhatIsNone) {
  const StreamLoad load{.sides = {4, 4}, .items = 10};
  EXPECT_THROW(stream_program(17, load, plain_cost), Error);
  EXPECT_THROW(stream_program(16, {.sides = {4, 4}, .items = 0}, plain_cost), Error);
  EXPECT_THROW(stream_program(16, {.sides = {4, 4}, .items = 1, .item_bytes = 99999}, plain_cost), Error);
  EXPECT_THROW(stream_program(1 << 20, {.sides = {1 << 20}, .items = 1}, plain_cost), Error);
}

} // namespace
} // namespace thalweg::simulate

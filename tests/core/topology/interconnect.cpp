// SPDX-License-Identifier: BSD-3-Clause
#include "topology/interconnect.hpp"

#include "base/error.hpp"
#include "interconnects.hpp"

#include <gtest/gtest.h>
#include <random>
#include <set>

namespace thalweg::topology {
namespace {

class EveryInterconnect : public testing::TestWithParam<const char*> {
protected:
  std::shared_ptr<const Interconnect> machine = parse_interconnect(GetParam());

  std::vector<LinkShare> route(Place from, Place to) const {
    std::vector<LinkShare> links;
    machine->append_route(from, to, links);
    return links;
  }
};

TEST_P(EveryInterconnect, HasTheNameThatItIsReadFrom) {
  EXPECT_EQ(machine->name(), GetParam());
}

TEST_P(EveryInterconnect, BytesComeInOnlyWhereTheyGoOut) {
  for (Place from = 0; from < machine->nodes(); ++from)
    for (Place to = 0; to < machine->nodes(); ++to) {
      std::map<Vertex, double> surplus{{from, from == to ? 0.0 : 1.0}};
      std::set<Link> links;
      double sum = 0;
      Vertex at = from;
      for (const LinkShare& step : route(from, to)) {
        const LinkEnds ends = machine->ends(step.link);
        ASSERT_TRUE(ends.from >= 0 && ends.from < machine->vertices() && ends.to >= 0 &&
                    ends.to < machine->vertices());
        EXPECT_TRUE(links.insert(step.link).second);
        EXPECT_GT(step.share, 0);
        EXPECT_TRUE(machine->spreads() || (step.share == 1 && ends.from == at));
        EXPECT_GT(machine->capacity(step.link), 0);
        surplus[ends.from] -= step.share;
        surplus[ends.to] += step.share;
        sum += step.share;
        at = ends.to;
      }
      for (const auto& [vertex, bytes] : surplus)
        EXPECT_NEAR(bytes, vertex == to && from != to ? 1 : 0, 1e-12);
      EXPECT_NEAR(sum, static_cast<double>(machine->hops(from, to)), 1e-9);
    }
}

TEST_P(EveryInterconnect, HopsAreADistance) {
  std::int64_t diameter = 0;
  double sum = 0;
  const Place nodes = machine->nodes();
  for (Place a = 0; a < nodes; ++a)
    for (Place b = 0; b < nodes; ++b) {
      const std::int64_t hops = machine->hops(a, b);
      EXPECT_EQ(hops == 0, a == b);
      EXPECT_EQ(hops, machine->hops(b, a));
      const Place c = (a * 7 + b * 5) % nodes;
      EXPECT_LE(hops, machine->hops(a, c) + machine->hops(c, b));
      diameter = std::max(diameter, hops);
      sum += static_cast<double>(hops);
    }
  EXPECT_EQ(machine->diameter(), diameter);
  const auto pairs = static_cast<double>(nodes * (nodes - 1));
  EXPECT_NEAR(machine->mean_hops(), pairs > 0 ? sum / pairs : 0, 1e-9);
}

TEST_P(EveryInterconnect, NoWayIsShorter) {
  for (Place to = 0; to < machine->nodes(); ++to) {
    const std::vector<std::int64_t> hops = searched_hops(*machine, to);
    for (Place from = 0; from < machine->nodes(); ++from)
      // Minimal routes of a dragonfly pass one link between groups; two of them may take no link within any.
      if (machine->name().starts_with("dragonfly"))
        EXPECT_LE(hops[static_cast<std::size_t>(from)], machine->hops(from, to));
      else
        EXPECT_EQ(hops[static_cast<std::size_t>(from)], machine->hops(from, to));
  }
}

TEST_P(EveryInterconnect, LinksHaveNamesOfTheirOwnAndAnotherWay) {
  std::set<std::string> names;
  std::set<std::pair<Vertex, Vertex>> ends;
  for (Link link = 0; link < machine->links(); ++link)
    if (const auto [from, to] = machine->ends(link); from >= 0) {
      EXPECT_TRUE(names.insert(machine->link_name(link)).second) << machine->link_name(link);
      ends.insert({from, to});
    }
  for (const auto& [from, to] : ends)
    EXPECT_TRUE(ends.contains({to, from}));
}

TEST_P(EveryInterconnect, WhatIsSpreadIsSpreadOverAllShortestRoutesAlike) {
  const std::string name = machine->name();
  if (!name.ends_with("route=adaptive") && !name.ends_with("route=spread"))
    return;
  for (Place to = 0; to < machine->nodes(); ++to) {
    std::map<Link, double> shares;
    for (const LinkShare& step : route(1, to))
      shares[step.link] = step.share;
    const std::map<Link, double> expected =
        to == 1 ? std::map<Link, double>{} : equal_shares(*machine, 1, to);
    ASSERT_EQ(shares.size(), expected.size());
    for (const auto& [link, share] : expected)
      EXPECT_NEAR(shares[link], share, 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Every, EveryInterconnect,
    testing::Values("torus:1", "torus:2", "torus:5", "mesh:6", "torus:4x3", "mesh:4x3", "torus:2x2x2",
                    "torus:3x4x2x2", "torus:4x2*1", "torus:2x3*3", "mesh:3x2*2+1", "torus:4x4,route=split",
                    "torus:4x2*2,route=split", "torus:4x3x2,route=adaptive", "mesh:4x3,route=adaptive",
                    "torus:4x4*2,route=adaptive", "torus:4x3*2,capacity=2:1/0.5:10", "star:1", "star:7",
                    "tree:2^3", "tree:3^2", "xgft:4x2:1x2", "xgft:2x3x2:1x2x3", "xgft:3x3:2x2",
                    "tree:2^4,route=spread", "xgft:2x3x2:2x2x3,route=spread", "hierarchy:4x2x3",
                    "hierarchy:2x2x2,capacity=4:2:1/0.5", "dragonfly:2x4x2", "dragonfly:1x3x1",
                    "dragonfly:2x2x2x3", "dragonfly:3x1x2", "dragonfly:3x4x1x1", "dragonfly:1x1x1x1",
                    "dragonfly:2x3x1,capacity=1:2:4/3"));

TEST(Interconnect, NamesMayBeShortOrMeanTheSame) {
  const auto name = [](const char* text, Place nodes = 0) { return parse_interconnect(text, nodes)->name(); };
  EXPECT_EQ(name("ring:8"), "torus:8");
  EXPECT_EQ(name("ring", 8), "torus:8");
  EXPECT_EQ(name("star", 8), "star:8");
  EXPECT_EQ(name("fat-tree:4x2", 8), "xgft:4x2:1x2");
  EXPECT_EQ(name("fat-tree:4x4", 13), "tree:4^2");
  EXPECT_EQ(name("tree:4x3"), "tree:4^3");
  EXPECT_EQ(name("hierarchy:8"), "star:8");
  EXPECT_EQ(name("xgft:2x4:1x1"), "hierarchy:4x2");
  EXPECT_EQ(name("dragonfly:1x2x1x3"), "dragonfly:1x2x1");
}

TEST(Interconnect, TellsWhatCrossesTheMiddle) {
  const auto bisection = [](const char* text) { return parse_interconnect(text)->bisection(); };
  EXPECT_EQ(bisection("torus:8x4"), 8);
  EXPECT_EQ(bisection("mesh:8x4"), 4);
  EXPECT_EQ(bisection("mesh:8x4,capacity=1:0.25/0.125"), 1);
  EXPECT_EQ(bisection("torus:2"), 1);
  EXPECT_EQ(bisection("star:8"), 4);
  EXPECT_EQ(bisection("tree:4^3"), 32);
  EXPECT_EQ(bisection("xgft:4x4:1x2"), 4);
  EXPECT_EQ(bisection("dragonfly:2x4x2"), 20);
}

TEST(Interconnect, HierarchiesHaveDistancesByLevel) {
  const auto machine = parse_interconnect("hierarchy:4x2x8,distance=1:10:100");
  EXPECT_EQ(machine->nodes(), 64);
  EXPECT_EQ(machine->hops(0, 0), 0);
  EXPECT_EQ(machine->hops(0, 7), 1);
  EXPECT_EQ(machine->hops(0, 8), 10);
  EXPECT_EQ(machine->hops(0, 63), 100);
  EXPECT_EQ(machine->diameter(), 100);
  EXPECT_EQ(machine->name(), "hierarchy:4x2x8,distance=1:10:100");
}

TEST(Interconnect, NodesForInputAndOutputTakeNoRanks) {
  const auto gordon = parse_interconnect("torus:4x4x4*16+2");
  EXPECT_EQ(gordon->nodes(), 64 * 18);
  EXPECT_EQ(gordon->rank_nodes(), 64 * 16);
  EXPECT_EQ(gordon->grid(), nullptr);
  EXPECT_EQ(gordon->switch_grid()->places(), 64);
  EXPECT_TRUE(gordon->takes_ranks(15));
  EXPECT_FALSE(gordon->takes_ranks(16));
  EXPECT_FALSE(gordon->takes_ranks(17));
  EXPECT_TRUE(gordon->takes_ranks(18));
  EXPECT_EQ(gordon->switch_place(18), 1);
  EXPECT_EQ(gordon->hops(0, 17), 2);
}

TEST(Interconnect, CapacitiesGoByDimensionLevelAndWay) {
  const auto torus = parse_interconnect("torus:4x4*1,capacity=2:1/0.5:8");
  const auto capacities = [](const Interconnect& machine, Place from, Place to) {
    std::vector<LinkShare> route;
    machine.append_route(from, to, route);
    std::vector<double> rates;
    for (const LinkShare& step : route)
      rates.push_back(machine.capacity(step.link));
    return rates;
  };
  EXPECT_EQ(capacities(*torus, 0, 13), (std::vector<double>{8, 2, 0.5, 8}));
  const auto tree = parse_interconnect("hierarchy:2x2,capacity=4:2/1");
  EXPECT_EQ(capacities(*tree, 0, 3), (std::vector<double>{4, 2, 1, 4}));
}

TEST(Interconnect, GoesOneDimensionAfterTheOtherAndForwardWhereBothWaysAreAsLong) {
  const auto machine = parse_interconnect("torus:4x4");
  std::vector<LinkShare> route;
  machine->append_route(0, 2 + 4 * 3, route);
  std::vector<std::string> names;
  for (const LinkShare& step : route)
    names.push_back(machine->link_name(step.link));
  EXPECT_EQ(names, (std::vector<std::string>{"(0,0)+x", "(1,0)+x", "(2,0)-y"}));
}

TEST(Interconnect, UpByTheDestinationsNumberDestinationsDoNotMeetOnTheWayDown) {
  // D mod k (Zahavi 2010): in a k-ary n-tree each link down carries messages for one destination only, and
  // any shift of all nodes has each link carry one message.
  const auto tree = parse_interconnect("tree:3^3");
  for (Place shift = 1; shift < tree->nodes(); ++shift) {
    std::set<Link> links;
    for (Place from = 0; from < tree->nodes(); ++from) {
      std::vector<LinkShare> route;
      tree->append_route(from, (from + shift) % tree->nodes(), route);
      for (const LinkShare& step : route)
        EXPECT_TRUE(links.insert(step.link).second);
    }
  }
}

TEST(Interconnect, AMillionNodesCostNothing) {
  for (const char* text : {"torus:100x100x100", "torus:1000x1000*4+1", "tree:100^3", "hierarchy:1000x2x500",
                           "dragonfly:16x32x16x513", "star:1000000"}) {
    const auto machine = parse_interconnect(text);
    std::vector<LinkShare> route;
    machine->append_route(0, machine->nodes() - 1, route);
    EXPECT_EQ(std::ssize(route), machine->hops(0, machine->nodes() - 1)) << text;
    EXPECT_GT(machine->mean_hops(), 0);
    EXPECT_LT(machine->mean_hops(), static_cast<double>(machine->diameter()) + 1e-9);
  }
}

TEST(Interconnect, RefusesWhatIsNone) {
  for (const char* text : {"",
                           "torus",
                           "torus:",
                           "torus:0",
                           "torus:4x",
                           "sponge:4",
                           "torus:4x4x",
                           "torus:4*",
                           "torus:4*0",
                           "torus:4*2+",
                           "torus:4*2+0",
                           "torus:4x4,",
                           "torus:4x4,route=",
                           "torus:4x4,route=fast",
                           "torus:4x4,route=spread",
                           "torus:4x4,capacity=1",
                           "torus:4x4,capacity=1:0",
                           "torus:4x4,capacity=1:-1",
                           "torus:4x4,capacity=1:2:3",
                           "torus:4x4,capacity=1:1,capacity=1:1",
                           "torus:4x4,capacity=1:nan",
                           "torus:4,distance=1",
                           "star",
                           "star:2x2",
                           "ring",
                           "ring:2x2",
                           "fat-tree:4x2",
                           "tree:4",
                           "tree:4^",
                           "tree:4x4^2",
                           "tree:2^40",
                           "tree:2^1000000000",
                           "xgft:4x4",
                           "xgft:4x4:1",
                           "xgft:4x4:1x2,route=adaptive",
                           "hierarchy:2x2,distance=1",
                           "hierarchy:2x2,distance=2:1",
                           "hierarchy:2147483647x2147483647",
                           "dragonfly:2x2",
                           "dragonfly:2x2x2x6",
                           "dragonfly:2x2x2,route=spread",
                           "dragonfly:20000x1x1",
                           "graph:",
                           "graph:/nowhere"})
    EXPECT_THROW(parse_interconnect(text), Error) << text;
}

TEST(Interconnect, DamagedNamesAreReadOrRefused) {
  std::mt19937 random(3);
  const std::string names[] = {"torus:4x4*16+2,route=split,capacity=2:1:0.5/1",
                               "xgft:4x4x2:1x2x2,route=spread", "hierarchy:4x2x8,distance=1:10:100",
                               "dragonfly:2x4x2x9,capacity=1:2:4", "tree:4^3"};
  const std::string letters = "0123456789x:*+,=/^-.e";
  for (int round = 0; round < 20000; ++round) {
    std::string text = names[random() % std::size(names)];
    for (int change = 0; change < 3; ++change)
      if (random() % 2 == 0)
        text[random() % text.size()] = letters[random() % letters.size()];
      else
        text.insert(random() % text.size(), 1, letters[random() % letters.size()]);
    try {
      const auto machine = parse_interconnect(text);
      EXPECT_EQ(parse_interconnect(machine->name())->name(), machine->name());
      EXPECT_GE(machine->diameter(), 0);
      EXPECT_GE(machine->mean_hops() + machine->bisection(), 0);
      EXPECT_EQ(machine->hops(machine->nodes() - 1, machine->nodes() - 1), 0);
    } catch (const Error&) {
    }
  }
}

} // namespace
} // namespace thalweg::topology

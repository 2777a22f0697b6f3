// SPDX-License-Identifier: BSD-3-Clause
#include "machine/node_list.hpp"

#include "base/error.hpp"
#include "topology/graph_file.hpp"

#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <random>

namespace thalweg::machine {

namespace {

NodeList list_of(const std::string& text) {
  return parse_node_list(text, *topology::parse_interconnect("torus:4x3"), "nodes.txt");
}

TEST(NodeList, ReadsCoordinatesAndNumbers) {
  const NodeList list = list_of("# a machine\nn0 1 2\n\n n1.cluster.example 5 # the sixth\r\nn2\t0 0");
  EXPECT_EQ(list.size(), 3);
  EXPECT_EQ(list.place_of("n0"), 9);
  EXPECT_EQ(list.place_of("n0.cluster.example"), 9);
  EXPECT_EQ(list.place_of("n1"), 5);
  EXPECT_EQ(list.place_of("n2"), 0);
  EXPECT_EQ(list.place_of("n3"), -1);
  EXPECT_EQ(list_of("").size(), 0);
}

TEST(NodeList, KnowsSwitchesWithSeveralNodesAndNamesOfGraphs) {
  const auto torus = topology::parse_interconnect("torus:2x2*2");
  EXPECT_EQ(parse_node_list("a 0 1 1\nb 3\n", *torus, "nodes.txt").place_of("a"), 5);
  EXPECT_THROW(parse_node_list("a 0 1\n", *torus, "nodes.txt"), Error);
  const auto graph = topology::parse_graph("node n0 n1\nswitch s\nlink n0 s\nlink n1 s\n", "net.txt");
  EXPECT_EQ(parse_node_list("n1\nfront 0\n", *graph, "nodes.txt").hosts(),
            (std::vector<std::pair<std::string, topology::Place>>{{"front", 0}, {"n1", 1}}));
}

TEST(NodeList, RefusesWithTheLine) {
  for (const char* text :
       {"n0", "n0 12", "n0 -1", "n0 4 0", "n0 1 2 0", "n0 x", "n0 1.5", "n0 1\nn0 2", "n0 1\nn0.b 2",
        "6 4\nn0 0", "n0 1\nn1 1", "n[0-1] 3", "n[0-1", "n0 99999999999999999999"})
    try {
      list_of(std::string("\n") + text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("nodes.txt:"), std::string::npos) << error.what();
    }
}

TEST(NodeList, DamagedTextIsReadOrRefused) {
  std::mt19937 random(7);
  const std::string whole = "n0 1 2\nn1 5 # comment\nn2 3\n";
  for (int round = 0; round < 3000; ++round) {
    std::string text = whole;
    for (int change = 0; change < 3; ++change)
      text[random() % text.size()] = static_cast<char>(random());
    try {
      EXPECT_LE(list_of(text).size(), 30);
    } catch (const Error&) {
    }
  }
}

topology::NodePlaces places(const std::string& text, const std::string& shape,
                            const std::vector<std::string>& nodes) {
  return parse_host_places(text, shape, "hosts.txt").of(nodes);
}

TEST(HostPlaces, NameTheirNetworkInTheFirstLine) {
  const topology::NodePlaces found = places("# torus:4x2\na 1 1\nb 2\n", "ring", {"b", "a.cluster", "c"});
  EXPECT_EQ(found.network, "torus:4x2");
  EXPECT_EQ(found.hosts, 8);
  EXPECT_EQ(found.places, (std::vector<std::int32_t>{2, 5, -1}));
}

TEST(HostPlaces, TakeTheMachineFilesNetworkElse) {
  for (const char* heading : {"", "# all of them\n", "#\n", "\n# torus:4x2\n"}) {
    const topology::NodePlaces found = places(std::string(heading) + "a 2\nb 0\nc 1\n", "ring", {"a"});
    EXPECT_EQ(found.network, "ring");
    EXPECT_EQ(found.hosts, 3);
    EXPECT_EQ(found.places, (std::vector<std::int32_t>{2}));
  }
}

TEST(HostPlaces, WithoutANetworkAreAnyNumbers) {
  const topology::NodePlaces found = places("a 70000\nb 2\n", "", {"a", "b"});
  EXPECT_EQ(found.network, "");
  EXPECT_EQ(found.places, (std::vector<std::int32_t>{70000, 2}));
}

TEST(HostPlaces, RefuseAPlaceThatTheNetworkDoesNotHave) {
  EXPECT_THROW(places("a 3\nb 0\nc 1\n", "ring", {}), Error); // a ring's list has all hosts
  EXPECT_THROW(places("# torus:2x2\na 4\n", "", {}), Error);
  EXPECT_THROW(places("# torus:2x2\na 0 2\n", "", {}), Error);
}

std::string problem_of_hosts(const std::string& text, const topology::Interconnect* machine = nullptr) {
  try {
    static_cast<void>(machine == nullptr ? parse_host_places(text, "", "hosts.txt").list
                                         : parse_hosts_of(*machine, text, "hosts.txt"));
  } catch (const Error& error) {
    EXPECT_FALSE(error.remedy().empty());
    return error.problem();
  }
  return {};
}

// A shape with a mistake is no comment, whoever reads the list; what people write about their hosts is one.
TEST(HostPlaces, RefuseShapesWithMistakes) {
  const auto torus = topology::parse_interconnect("torus:4x2");
  for (const char* shape :
       {"tours:4x2", "torsu:4x2", "torus:4x", "torus:4x-2", "torus", "Torus:4x2", "fat-tre:4x2"})
    for (const topology::Interconnect* machine :
         {static_cast<const topology::Interconnect*>(nullptr), torus.get()})
      EXPECT_TRUE(problem_of_hosts(fmt::format("# {}\na 0\n", shape), machine).starts_with("hosts.txt:1: "))
          << shape;
  for (const char* comment :
       {"my cluster", "hosts: 8", "fat tree of 2 switches", "https://cluster/8", "", "a: b"})
    for (const topology::Interconnect* machine :
         {static_cast<const topology::Interconnect*>(nullptr), torus.get()})
      EXPECT_EQ(problem_of_hosts(fmt::format("# {}\na 0\n", comment), machine), "") << comment;
}

TEST(HostPlaces, OfANetworkAreNotThoseOfAnother) {
  const auto torus = topology::parse_interconnect("torus:4x2");
  EXPECT_EQ(problem_of_hosts("# torus:4x2\na 0\n", torus.get()), "");
  EXPECT_EQ(problem_of_hosts("# ring\na 0\n", torus.get()), "");
  EXPECT_EQ(problem_of_hosts("# mesh:4x4\na 0\n", torus.get()),
            "hosts.txt:1: the list is of mesh:4x4, which has 16 nodes, and torus:4x2 has 8");
}

// Whatever is read, a job's nodes are then located or it is said why not.
TEST(HostPlaces, OfAnyTextAreReadOrRefused) {
  std::mt19937 random(11);
  const std::vector<std::string> parts{"# torus:4x2\n",
                                       "# ring\n",
                                       "# fat-tree:4x2\n",
                                       "a 1\n",
                                       "b 0\n",
                                       "a",
                                       " 1 1\n",
                                       "-1\n",
                                       "\n",
                                       "#",
                                       "torus:",
                                       "9999999x9999999",
                                       "4x",
                                       "\r",
                                       "c 3 # x\n",
                                       "\xff",
                                       "# torus:99999x99999\n"};
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (auto count = random() % 6; count > 0; --count)
      text += parts[random() % parts.size()];
    try {
      const topology::NodePlaces found = places(text, random() % 2 == 0 ? "torus:2x2" : "", {"a", "b"});
      const topology::LocatedNodes located = topology::locate(found, 2);
      EXPECT_TRUE(!located.network || located.places.size() == 2) << text;
    } catch (const Error& error) {
      EXPECT_FALSE(error.remedy().empty()) << text;
    }
  }
}

TEST(HostPlaces, GraphsKnowHostsByName) {
  const std::string file = testing::TempDir() + "thalweg-host-places.txt";
  std::ofstream(file) << "node n0 n1\nswitch s\nlink n0 s\nlink n1 s\n";
  const std::vector<std::string> hosts{"n1.example.org", "front", "n0"};
  EXPECT_EQ(parse_host_places("", "graph:" + file, "hosts").of(hosts).places,
            (std::vector<std::int32_t>{1, -1, 0}));
  EXPECT_EQ(parse_host_places("front 1\n", "graph:" + file, "hosts").of(hosts).places,
            (std::vector<std::int32_t>{1, 1, 0}));
  EXPECT_THROW(parse_host_places("", "graph:/nowhere", "hosts"), Error);
  std::remove(file.c_str());
}

} // namespace

} // namespace thalweg::machine

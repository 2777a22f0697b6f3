// SPDX-License-Identifier: BSD-3-Clause
#include "topology/graph_file.hpp"

#include "base/error.hpp"
#include "interconnects.hpp"

#include <gtest/gtest.h>
#include <random>

namespace thalweg::topology {
namespace {

constexpr const char* tables = "# two leaves, two spines\n"
                               "node n0 n1 n2 n3\n"
                               "switch a b s t\n"
                               "link n0 a\nlink n1 a # beside it\nlink n2 b\nlink n3 b\n"
                               "link a s 4/2\nlink s b\nlink a t\nlink t b\nlink t b 3\n"
                               "route a s n2\nroute a t n3\nroute t b#2 n3\n";

std::vector<std::string> route_of(const Interconnect& machine, const char* from, const char* to) {
  std::vector<LinkShare> route;
  machine.append_route(machine.node_named(from), machine.node_named(to), route);
  std::vector<std::string> names;
  for (const LinkShare& step : route)
    names.push_back(machine.link_name(step.link));
  return names;
}

/// The same links and switches as another machine, without what it knows of routes.
std::string text_of(const Interconnect& machine) {
  std::string nodes = "node";
  std::string switches = "switch";
  for (Vertex vertex = 0; vertex < machine.vertices(); ++vertex)
    (vertex < machine.nodes() ? nodes : switches) += " v" + std::to_string(vertex);
  std::string text = nodes + "\n" + switches + "\n";
  for (Link link = 0; link < machine.links(); ++link)
    if (const LinkEnds ends = machine.ends(link); ends.from >= 0)
      text += "arc v" + std::to_string(ends.from) + " v" + std::to_string(ends.to) + "\n";
  return text;
}

TEST(GraphFile, RoutesFollowTheTables) {
  const auto machine = parse_graph(tables, "net.txt");
  EXPECT_EQ(machine->name(), "graph:net.txt");
  EXPECT_EQ(machine->nodes(), 4);
  EXPECT_EQ(machine->vertices(), 8);
  EXPECT_EQ(machine->links(), 18);
  EXPECT_EQ(route_of(*machine, "n0", "n2"),
            (std::vector<std::string>{"n0 to a", "a to s", "s to b", "b to n2"}));
  EXPECT_EQ(route_of(*machine, "n0", "n3"),
            (std::vector<std::string>{"n0 to a", "a to t", "t to b#2", "b to n3"}));
  EXPECT_EQ(route_of(*machine, "n0", "n1"), (std::vector<std::string>{"n0 to a", "a to n1"}));
  EXPECT_EQ(machine->capacity(8), 4);
  EXPECT_EQ(machine->capacity(9), 2);
  EXPECT_EQ(machine->node_named("a"), -1);
}

TEST(GraphFile, AGraphOfAMachineIsTheMachine) {
  for (const char* name : {"torus:4x3", "torus:3x3*2", "tree:2^3", "xgft:3x2:2x2", "mesh:3x3,route=adaptive"})
    for (const char* routing : {"", "routing spread\n"}) {
      const auto machine = parse_interconnect(name);
      const auto graph = parse_graph(text_of(*machine) + routing, "net.txt");
      EXPECT_EQ(graph->diameter(), machine->diameter());
      EXPECT_NEAR(graph->mean_hops(), machine->mean_hops(), 1e-9);
      for (Place from = 0; from < graph->nodes(); ++from)
        for (Place to = 0; to < graph->nodes(); ++to) {
          EXPECT_EQ(graph->hops(from, to), machine->hops(from, to));
          std::vector<LinkShare> route;
          graph->append_route(from, to, route);
          double sum = 0;
          for (const LinkShare& step : route)
            sum += step.share;
          EXPECT_NEAR(sum, static_cast<double>(machine->hops(from, to)), 1e-9);
        }
    }
}

TEST(GraphFile, NodesWithSeveralCablesPassNothingOn) {
  const auto machine = parse_graph("node m x y\nswitch a b s t\nlink m a\nlink m b\nlink x a\nlink y b\n"
                                   "link a s\nlink s t\nlink t b\n",
                                   "net.txt");
  EXPECT_EQ(machine->hops(1, 2), 5);
  EXPECT_EQ(machine->hops(0, 1), 2);
  EXPECT_EQ(machine->hops(0, 2), 2);
  EXPECT_EQ(route_of(*machine, "x", "y").size(), 5U);
}

TEST(GraphFile, RefusesWithTheReason) {
  const std::string start = "node n0 n1\nswitch a b\nlink n0 a\nlink n1 b\nlink a b\n";
  for (const char* rest :
       {"node n0",        "switch n1",   "switch c#1",    "link n0",        "link n0 c",
        "link n0 n0",     "link n0 b 0", "link n0 b -1",  "link n0 b x",    "arc n0 b 1/2",
        "route a b",      "route a b c", "route a n1 n1", "route a b#2 n1", "route a b#0 n1",
        "route a b#x n1", "route a b b", "routing",       "routing fast",   "routing spread\nroute a b n1",
        "cable n0 b"})
    EXPECT_THROW(parse_graph(start + rest, "net.txt"), Error) << rest;
  EXPECT_THROW(parse_graph("", "net.txt"), Error);
  EXPECT_THROW(parse_graph("switch a", "net.txt"), Error);
  EXPECT_THROW(parse_graph("node n0 n1", "net.txt"), Error);
  EXPECT_THROW(parse_graph("node n0 n1\narc n0 n1", "net.txt"), Error);
  EXPECT_THROW(parse_graph(start + "route b a n1\nroute a b n1", "net.txt"), Error);
  EXPECT_NO_THROW(parse_graph(start + "route a b n1", "net.txt"));
}

TEST(GraphFile, DamagedTextIsReadOrRefused) {
  std::mt19937 random(5);
  for (int round = 0; round < 5000; ++round) {
    std::string text = tables;
    for (int change = 0; change < 3; ++change)
      text[random() % text.size()] = "nabst0123 \n#/x"[random() % 14];
    try {
      const auto machine = parse_graph(text, "net.txt");
      std::vector<LinkShare> route;
      for (Place to = 0; to < machine->nodes(); ++to)
        machine->append_route(0, to, route);
      EXPECT_LE(machine->nodes(), 20);
    } catch (const Error&) {
    }
  }
}

} // namespace
} // namespace thalweg::topology

// SPDX-License-Identifier: BSD-3-Clause
#include "machine/node_list.hpp"

#include "base/error.hpp"
#include "topology/graph_file.hpp"

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

} // namespace
} // namespace thalweg::machine

// SPDX-License-Identifier: BSD-3-Clause
#include "machine/host_places.hpp"

#include "base/error.hpp"

#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <random>

namespace thalweg::machine {
namespace {

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

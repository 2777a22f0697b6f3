// SPDX-License-Identifier: BSD-3-Clause
#include "topology/shared_resources.hpp"

#include "base/error.hpp"

#include <gtest/gtest.h>
#include <random>

namespace thalweg::topology {
namespace {

constexpr std::string_view sockets = "# two sockets\n"
                                     "cores 8\n"
                                     "resource there 1.5 0-3>4-7\n"
                                     "resource back 1 4-7>0-3  # slower\n"
                                     "resource channel 2.5 all>0,2-3 1>1,5\n";

std::vector<std::string> route_names(const Interconnect& machine, Place from, Place to) {
  std::vector<LinkShare> route;
  machine.append_route(from, to, route);
  std::vector<std::string> names;
  for (const LinkShare& step : route)
    names.push_back(machine.link_name(step.link));
  return names;
}

TEST(SharedResources, MessagesUseWhatTheFileSays) {
  using Names = std::vector<std::string>;
  const auto machine = parse_resources(sockets, "node.resources");
  EXPECT_EQ(machine->name(), "resources:node.resources");
  EXPECT_EQ(machine->nodes(), 8);
  EXPECT_EQ(machine->links(), 19);
  EXPECT_EQ(route_names(*machine, 0, 4), (Names{"core 0 out", "there", "core 4 in"}));
  EXPECT_EQ(route_names(*machine, 4, 0), (Names{"core 4 out", "back", "channel", "core 0 in"}));
  EXPECT_EQ(route_names(*machine, 1, 5), (Names{"core 1 out", "there", "channel", "core 5 in"}));
  EXPECT_EQ(route_names(*machine, 4, 5), (Names{"core 4 out", "core 5 in"}));
  EXPECT_TRUE(route_names(*machine, 3, 3).empty());
  EXPECT_EQ(machine->capacity(16), 1.5);
  EXPECT_EQ(machine->capacity(18), 2.5);
  EXPECT_EQ(machine->hops(0, 7), 1);
}

TEST(SharedResources, RefusesWithTheLine) {
  for (const char* text :
       {"", "resource a 1 all>all", "cores", "cores 0", "cores 2 2", "cores 5000", "cores 2\ncores 2",
        "cores 2\nresource", "cores 2\nresource a", "cores 2\nresource a 1", "cores 2\nresource a 0 0>1",
        "cores 2\nresource a x 0>1", "cores 2\nresource a nan 0>1", "cores 2\nresource a 1 0",
        "cores 2\nresource a 1 0>2", "cores 2\nresource a 1 1-0>1", "cores 2\nresource a 1 >1",
        "cores 2\nresource a 1 0>,1", "cores 2\nlink 0 1"})
    EXPECT_THROW(parse_resources(text, "node.resources"), Error) << text;
  try {
    parse_resources("cores 2\nresource a 1 0>2", "node.resources");
  } catch (const Error& error) {
    EXPECT_NE(error.problem().find("node.resources:2: '2'"), std::string::npos) << error.problem();
  }
}

TEST(SharedResources, DamagedTextIsReadOrRefused) {
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    std::string text(sockets);
    for (int change = 0; change < 3; ++change)
      text[random() % text.size()] = "cores alu0189 \n#->,."[random() % 20];
    try {
      const auto machine = parse_resources(text, "node.resources");
      std::vector<LinkShare> route;
      for (Place to = 0; to < machine->nodes(); ++to)
        machine->append_route(0, to, route);
      for (const LinkShare& step : route)
        EXPECT_LT(step.link, machine->links());
    } catch (const Error&) {
    }
  }
}

} // namespace
} // namespace thalweg::topology

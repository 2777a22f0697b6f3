#include "topology/grid_interconnect.hpp"

#include "core/error.hpp"

#include <gtest/gtest.h>
#include <set>

namespace thalweg::topology {
namespace {

TEST(GridInterconnect, RoutesHaveAsManyLinksAsHops) {
  for (const char* name : {"torus:5", "mesh:6", "torus:4x3", "mesh:4x3", "torus:2x2x2", "torus:3x4x2x3"}) {
    const auto machine = parse_interconnect(name);
    EXPECT_EQ(machine->name(), name);
    std::set<std::string> names;
    for (Place from = 0; from < machine->nodes(); ++from)
      for (Place to = 0; to < machine->nodes(); ++to) {
        std::vector<LinkShare> route;
        machine->append_route(from, to, route);
        EXPECT_EQ(std::ssize(route), machine->hops(from, to));
        for (const LinkShare& step : route) {
          EXPECT_EQ(step.share, 1);
          EXPECT_GE(step.link, 0);
          EXPECT_LT(step.link, machine->links());
        }
      }
    for (Link link = 0; link < machine->links(); ++link)
      EXPECT_TRUE(names.insert(machine->link_name(link)).second) << machine->link_name(link);
  }
}

TEST(GridInterconnect, GoesOneDimensionAfterTheOtherAndForwardWhereBothWaysAreAsLong) {
  const auto machine = parse_interconnect("torus:4x4");
  std::vector<LinkShare> route;
  machine->append_route(0, 2 + 4 * 3, route);
  std::vector<std::string> names;
  for (const LinkShare& step : route)
    names.push_back(machine->link_name(step.link));
  EXPECT_EQ(names, (std::vector<std::string>{"(0,0)+x", "(1,0)+x", "(2,0)-y"}));
}

TEST(Interconnect, RefusesWhatIsNone) {
  for (const char* text : {"", "torus", "torus:", "torus:0", "torus:4x", "sponge:4", "torus:4x4x"})
    EXPECT_THROW(parse_interconnect(text), Error) << text;
}

} // namespace
} // namespace thalweg::topology

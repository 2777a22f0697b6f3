#include "machine/allocation.hpp"

#include "core/error.hpp"
#include "topology/graph_file.hpp"

#include <gtest/gtest.h>

namespace thalweg::machine {
namespace {

using Places = std::vector<topology::Place>;

Places slots(const char* name, const Places& nodes, const std::vector<std::int32_t>& per_node) {
  return make_allocation(topology::parse_interconnect(name), nodes, per_node).slots;
}

TEST(Allocation, NodesHaveTheirSlots) {
  EXPECT_EQ(slots("torus:4x4", {7, 2, 5}, {1}), (Places{7, 2, 5}));
  EXPECT_EQ(slots("torus:4x4", {7, 2, 5}, {2, 0, 1}), (Places{7, 7, 5}));
  EXPECT_EQ(slots("torus:4x4", {}, {3}), Places{});
  EXPECT_EQ(slots("torus:4x4", {}, {}), Places{});
  EXPECT_EQ(slots("torus:2*1+1", {0, 1, 2}, {1, 0, 1}), (Places{0, 2}));
  EXPECT_EQ(nodes_for_ranks(*topology::parse_interconnect("torus:2*2+1")), (Places{0, 1, 3, 4}));
}

TEST(Allocation, RefusesWhatIsNone) {
  EXPECT_THROW(slots("torus:4x4", {16}, {1}), Error);
  EXPECT_THROW(slots("torus:4x4", {-1}, {1}), Error);
  EXPECT_THROW(slots("torus:4x4", {3, 4, 3}, {1}), Error);
  EXPECT_THROW(slots("torus:4x4", {3, 4, 3}, {1, 1, 0}), Error);
  EXPECT_THROW(slots("torus:4x4", {3}, {-1}), Error);
  EXPECT_THROW(slots("torus:4x4", {3, 4}, {1, 1, 1}), Error);
  EXPECT_THROW(slots("torus:4x4", {0, 1}, {INT32_MAX, 1}), Error);
  EXPECT_THROW(slots("torus:2*1+1", {1}, {1}), Error);
  EXPECT_THROW(nodes_for_ranks(*topology::parse_interconnect("torus:100000x100000")), Error);
}

TEST(Allocation, HostsHaveSlotsWhereTheyAre) {
  const auto torus = topology::parse_interconnect("torus:2x2*2");
  const NodeList list = parse_node_list("a 0 1 1\nb 3\n", *torus, "nodes.txt");
  const std::vector<std::string> hosts{"b.example.org", "a", "a"};
  EXPECT_EQ(allocation_of_hosts(torus, list, hosts).slots, (Places{3, 5, 5}));
  EXPECT_THROW(allocation_of_hosts(torus, list, std::vector<std::string>{"c"}), Error);

  const auto graph = topology::parse_graph("node n0 n1\nswitch s\nlink n0 s\nlink n1 s\n", "net.txt");
  EXPECT_EQ(allocation_of_hosts(graph, {}, std::vector<std::string>{"n1.example.org"}).slots, Places{1});
  EXPECT_EQ(parse_node_list("n1\nfront 0\n", *graph, "nodes.txt").hosts(),
            (std::vector<std::pair<std::string, topology::Place>>{{"front", 0}, {"n1", 1}}));
}

} // namespace
} // namespace thalweg::machine

// SPDX-License-Identifier: BSD-3-Clause
#include "machine/allocation.hpp"

#include "base/error.hpp"

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

} // namespace
} // namespace thalweg::machine

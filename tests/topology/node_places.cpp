#include "topology/node_places.hpp"

#include "core/error.hpp"

#include <gtest/gtest.h>

namespace thalweg::topology {
namespace {

TEST(NodePlaces, WithoutPlacesIsTheWholeNetworkInOrder) {
  const LocatedNodes found = locate({.network = "torus:4x2"}, 8);
  ASSERT_TRUE(found.network);
  EXPECT_EQ(found.network->hosts(), 8);
  EXPECT_EQ(found.places, (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(found.why_unknown, "");
}

TEST(NodePlaces, WithoutAShapeIsUnknownWithoutComplaint) {
  const LocatedNodes nothing = locate({}, 8);
  EXPECT_FALSE(nothing.network);
  EXPECT_TRUE(nothing.places.empty());
  EXPECT_EQ(nothing.why_unknown, "");
  const LocatedNodes places = locate({.places = {5, 2}}, 2);
  EXPECT_FALSE(places.network);
  EXPECT_EQ(places.places, (std::vector<std::int32_t>{5, 2}));
  EXPECT_EQ(places.why_unknown, "");
}

TEST(NodePlaces, WithPlacesMayBeAPartOfTheNetwork) {
  const LocatedNodes part = locate({.network = "torus:4x2", .places = {6, 1}}, 2);
  ASSERT_TRUE(part.network);
  EXPECT_EQ(part.network->hosts(), 8);
  EXPECT_EQ(part.places, (std::vector<std::int32_t>{6, 1}));
  EXPECT_EQ(locate({.network = "ring", .hosts = 12, .places = {6, 1}}, 2).network->hosts(), 12);
  EXPECT_EQ(locate({.network = "ring", .places = {6, 1}}, 2).network->hosts(), 7);
}

TEST(NodePlaces, SaysWhyAShapeCannotBeUsed) {
  const auto why = [](const NodePlaces& known, std::int32_t nodes) {
    const LocatedNodes found = locate(known, nodes);
    EXPECT_FALSE(found.network);
    EXPECT_TRUE(found.places.empty());
    return found.why_unknown;
  };
  EXPECT_EQ(why({.network = "torus:4x2"}, 5), "'torus:4x2' has 8 places, not 5");
  EXPECT_EQ(why({.network = "cube"}, 5), "'cube' is no shape of a network");
  EXPECT_EQ(why({.network = "ring", .places = {0, -1, 2}}, 3), "the places of 1 of 3 nodes are not known");
  EXPECT_EQ(why({.network = "ring", .hosts = 4, .places = {0, 4}}, 2),
            "place 4 is beyond the network's 4 hosts");
  EXPECT_EQ(why({.network = "torus:99999x99999", .places = {0, 4}}, 2).substr(0, 12), "a network of");
}

TEST(NodePlaces, RefusesPlacesOfOtherNodes) {
  EXPECT_THROW(locate({.network = "ring", .places = {0, 1}}, 3), Error);
}

} // namespace
} // namespace thalweg::topology

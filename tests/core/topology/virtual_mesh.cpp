// SPDX-License-Identifier: BSD-3-Clause
#include "topology/virtual_mesh.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <set>

namespace thalweg::topology {
namespace {

std::vector<Rank> all_ranks(std::int32_t ranks) {
  std::vector<Rank> all(static_cast<std::size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// Where a message from `source` to `destination` is before phase `phase`.
Rank holder(const VirtualMesh& mesh, Rank source, Rank destination, std::int32_t phase) {
  Rank at = source;
  for (std::int32_t d = 0; d < phase; ++d)
    if (mesh.coordinate(at, d) != mesh.coordinate(destination, d))
      at = mesh.towards(at, d, mesh.coordinate(destination, d));
  return at;
}

class EveryMesh : public testing::TestWithParam<std::int32_t> {
protected:
  template <typename Check>
  void for_each_mesh(Check&& check) {
    for (std::int32_t ranks = 1; ranks <= 70; ++ranks) {
      SCOPED_TRACE(ranks);
      check(VirtualMesh(ranks, GetParam()));
      if (HasFailure())
        return;
    }
  }
};

TEST_P(EveryMesh, HasHolesInItsLastPlaneOnly) {
  for_each_mesh([](const VirtualMesh& mesh) {
    std::int64_t plane = 1;
    for (std::int32_t d = 0; d + 1 < mesh.dimensions(); ++d)
      plane *= mesh.side(d);
    const std::int32_t planes = mesh.side(mesh.dimensions() - 1);
    EXPECT_GE(plane * planes, mesh.ranks());
    EXPECT_LT(plane * (planes - 1), mesh.ranks());
  });
}

TEST_P(EveryMesh, SendersAndReceiversAgree) {
  for_each_mesh([](const VirtualMesh& mesh) {
    for (std::int32_t d = 0; d < mesh.dimensions(); ++d) {
      std::multiset<std::pair<Rank, Rank>> sent;
      std::multiset<std::pair<Rank, Rank>> received;
      for (Rank rank = 0; rank < mesh.ranks(); ++rank) {
        for (const Rank receiver : mesh.receivers(rank, d))
          sent.emplace(rank, receiver);
        for (const Rank sender : mesh.senders(rank, d))
          received.emplace(sender, rank);
      }
      EXPECT_EQ(sent, received);
      EXPECT_EQ(std::set(sent.begin(), sent.end()).size(), sent.size())
          << "two messages between the same ranks";
    }
  });
}

TEST_P(EveryMesh, BringsEveryMessageHomeThroughTheSourcesItNames) {
  for_each_mesh([](const VirtualMesh& mesh) {
    for (Rank source = 0; source < mesh.ranks(); ++source)
      for (Rank destination = 0; destination < mesh.ranks(); ++destination) {
        EXPECT_EQ(holder(mesh, source, destination, mesh.dimensions()), destination);
        for (std::int32_t phase = 0; phase <= mesh.dimensions(); ++phase) {
          const std::vector<Rank> sources = mesh.sources(holder(mesh, source, destination, phase), phase);
          EXPECT_EQ(std::ranges::count(sources, source), 1);
        }
      }
    for (Rank rank = 0; rank < mesh.ranks(); ++rank) {
      std::vector<Rank> sources = mesh.sources(rank, mesh.dimensions());
      std::ranges::sort(sources);
      EXPECT_EQ(sources, all_ranks(mesh.ranks()));
    }
  });
}

TEST_P(EveryMesh, PlacesThoseThatAgreeNextToEachOther) {
  for_each_mesh([](const VirtualMesh& mesh) {
    for (Rank rank = 0; rank < mesh.ranks(); ++rank)
      for (std::int32_t fixed = 0; fixed <= mesh.dimensions(); ++fixed) {
        const std::vector<Rank> agreeing = mesh.agreeing(rank, fixed);
        EXPECT_EQ(static_cast<std::int32_t>(agreeing.size()), mesh.count_agreeing(rank, fixed));
        for (const Rank other : agreeing)
          for (std::int32_t agreed = fixed; agreed <= mesh.dimensions(); ++agreed) {
            const std::vector<Rank> closer = mesh.agreeing(other, agreed);
            const auto place = agreeing.begin() + mesh.place_among(other, fixed, agreed);
            EXPECT_TRUE(std::ranges::equal(closer, std::ranges::subrange(place, place + std::ssize(closer))));
          }
      }
  });
}

INSTANTIATE_TEST_SUITE_P(Dimensions, EveryMesh, testing::Values(1, 2, 3, 4, 7));

TEST(VirtualMesh, HandsTheRoleOfHolesToThePapersRanks) {
  const VirtualMesh mesh(14, 2);
  EXPECT_EQ(mesh.receivers(12, 0), (std::vector<Rank>{13, 2, 3}));
  EXPECT_EQ(mesh.receivers(13, 0), (std::vector<Rank>{6, 7, 12}));
}

TEST(VirtualMesh, AddsAtMostTwoMessagesToAnyRankOfATwoDimensionalMesh) {
  for (std::int32_t ranks = 1; ranks <= 400; ++ranks) {
    const VirtualMesh mesh(ranks, 2);
    for (Rank rank = 0; rank < ranks; ++rank)
      EXPECT_LE(std::ssize(mesh.senders(rank, 0)), mesh.side(0) - 1 + 2) << ranks << ' ' << rank;
  }
}

} // namespace
} // namespace thalweg::topology

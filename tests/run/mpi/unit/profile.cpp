// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/profile.hpp"

#include "mpi/observe/locations.hpp"

#include <gtest/gtest.h>

namespace thalweg::mpi::observe {
namespace {

SampledCommunicator communicator(std::vector<SampledCall> calls) {
  return {7, 3, std::move(calls)};
}

struct Accounts {
  std::map<std::pair<int, std::uint32_t>, Waiting> rows;
  Waiting& operator()(int rank, std::uint32_t row) { return rows[{rank, row}]; }
};

TEST(Waiting, EndsWithTheLastArrival) {
  const auto first = communicator({{0, 100, 190, 4}});
  const auto second = communicator({{0, 150, 190, 5}});
  const auto third = communicator({{0, 120, 190, 6}});
  const std::vector<Participant> ranks{{10, &first}, {11, &second}, {12, &third}};
  Accounts accounts;
  match(ranks, std::ref(accounts));
  EXPECT_DOUBLE_EQ((accounts.rows[{10, 4}].waiting_ns), 50);
  EXPECT_DOUBLE_EQ((accounts.rows[{11, 5}].waiting_ns), 0);
  EXPECT_DOUBLE_EQ((accounts.rows[{12, 6}].waiting_ns), 30);
  EXPECT_DOUBLE_EQ((accounts.rows[{10, 4}].sampled_ns), 90);
  EXPECT_DOUBLE_EQ((accounts.rows[{10, 4}].caused_ns[11]), 50);
}

TEST(Waiting, EndsWithTheReturnOfARankThatNeedsNobody) {
  const auto root = communicator({{0, 100, 110, 0}});
  const auto second = communicator({{0, 105, 120, 0}});
  const auto late = communicator({{0, 500, 510, 0}});
  const std::vector<Participant> ranks{{0, &root}, {1, &second}, {2, &late}};
  Accounts accounts;
  match(ranks, std::ref(accounts));
  EXPECT_DOUBLE_EQ((accounts.rows[{0, 0}].waiting_ns), 10);
  EXPECT_DOUBLE_EQ((accounts.rows[{1, 0}].waiting_ns), 15);
}

TEST(Waiting, MatchesOnlyCallsThatAllSampled) {
  const auto dense = communicator({{0, 1, 2, 0}, {1, 3, 4, 0}, {2, 5, 7, 0}, {3, 8, 9, 0}, {4, 10, 13, 0}});
  const auto sparse = communicator({{0, 1, 2, 0}, {2, 5, 7, 0}, {4, 10, 13, 0}});
  const auto sparser = communicator({{0, 1, 2, 0}, {4, 10, 13, 0}});
  const std::vector<Participant> ranks{{0, &dense}, {1, &sparse}, {2, &sparser}};
  Accounts accounts;
  match(ranks, std::ref(accounts));
  EXPECT_DOUBLE_EQ((accounts.rows[{0, 0}].sampled_ns), 1 + 3);
}

TEST(Waiting, OfAnIncompleteCommunicatorIsUnknown) {
  const auto only = communicator({{0, 1, 2, 0}});
  const std::vector<Participant> ranks{{0, &only}};
  Accounts accounts;
  match(ranks, std::ref(accounts));
  EXPECT_TRUE(accounts.rows.empty());
}

TEST(Profile, TravelsAsBytes) {
  RankProfile profile{3, 1, "host", 42, 1e9, {}, {}};
  profile.calls.push_back({"MPI_Bcast",
                           {"/home/train.py", 42, "step"},
                           2,
                           8,
                           10,
                           80,
                           5000,
                           900,
                           4000,
                           {{{"native", "why"}, 10}}});
  profile.samples.push_back({9, 8, {{0, 1.5, 2.5, 0}}});
  const std::vector<std::uint8_t> bytes = pack(profile);
  const RankProfile back = unpack(bytes.data(), bytes.size());
  EXPECT_EQ(back.rank, 3);
  EXPECT_EQ(back.host, "host");
  ASSERT_EQ(back.calls.size(), 1U);
  EXPECT_EQ(describe_source(back.calls[0].location), "train.py:42 (step)");
  EXPECT_EQ(back.calls[0].endings, profile.calls[0].endings);
  ASSERT_EQ(back.samples.size(), 1U);
  EXPECT_DOUBLE_EQ(back.samples[0].calls[0].exit_ns, 2.5);
}

TEST(Profile, AddsRanksUpBySite) {
  std::vector<RankProfile> ranks(2);
  for (int rank = 0; rank < 2; ++rank) {
    RankProfile& profile = ranks[static_cast<std::size_t>(rank)];
    profile.rank = rank;
    profile.wall_ns = 100;
    profile.calls.push_back(
        {"MPI_Barrier", {"app", 1}, 0, 2, 5, 0, 10.0 * (rank + 1), 3, 1, {{{"native", ""}, 5}}});
    profile.samples.push_back({9, 2, {{0, 10.0 * rank, 20, 0}}});
  }
  ranks[1].calls.push_back({"MPI_Send", {"app", 2}, 0, 2, 1, 8, 500, 500, 1, {}});
  const Profile profile = merge(ranks, describe_source);
  ASSERT_EQ(profile.sites.size(), 2U);
  EXPECT_EQ(profile.sites[0].total.function, "MPI_Send") << "longest first";
  const SiteProfile& barrier = profile.sites[1];
  EXPECT_EQ(barrier.total.calls, 10U);
  EXPECT_EQ(barrier.callers, 2);
  EXPECT_DOUBLE_EQ(barrier.min_rank_ns, 10);
  EXPECT_DOUBLE_EQ(barrier.max_rank_ns, 20);
  EXPECT_DOUBLE_EQ(barrier.waiting.waiting_ns, 10);
  EXPECT_DOUBLE_EQ(barrier.waiting.caused_ns.at(1), 10);
}

} // namespace
} // namespace thalweg::mpi::observe

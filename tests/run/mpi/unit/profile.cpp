// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/profile.hpp"

#include "mpi/observe/locations.hpp"
#include "mpi/observe/merging.hpp"

#include <gtest/gtest.h>

namespace thalweg::mpi::observe {
namespace {

SampledCommunicator communicator(std::vector<SampledCall> calls) {
  return {7, 3, std::move(calls)};
}

struct Accounts {
  std::map<std::pair<int, std::uint32_t>, Waiting> rows;
  void operator()(const MatchedCall& matched) {
    Waiting& waiting = rows[{matched.world_rank, matched.call->row}];
    waiting.sampled_ns += matched.call->exit_ns - matched.call->enter_ns;
    waiting.waiting_ns += matched.waiting_ns;
    waiting.caused_ns[matched.last_rank] += matched.waiting_ns;
  }
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
  profile.calls[0].durations = {{7, 3}, {90, 7}};
  profile.calls[0].sizes = {{0, {1, 0}}, {4, {9, 80}}};
  profile.calls[0].in_flight_ns = 5;
  profile.calls[0].exposed_ns = 4;
  profile.calls[0].is_own = true;
  profile.samples.push_back({9, 8, {{0, 1.5, 2.5, 0}}});
  profile.ns_per_tick = 0.25;
  profile.slices = {10, 20, {1, 2}, {0, 2}};
  profile.sent = {{3, 100, 2, true}};
  const std::vector<std::uint8_t> bytes = pack(profile);
  const RankProfile back = unpack(bytes.data(), bytes.size());
  EXPECT_EQ(back.rank, 3);
  EXPECT_EQ(back.host, "host");
  ASSERT_EQ(back.calls.size(), 1U);
  EXPECT_EQ(describe_source(back.calls[0].location), "train.py:42 (step)");
  EXPECT_EQ(back.calls[0].endings, profile.calls[0].endings);
  ASSERT_EQ(back.samples.size(), 1U);
  EXPECT_DOUBLE_EQ(back.samples[0].calls[0].exit_ns, 2.5);
  EXPECT_EQ(back.calls[0].durations, profile.calls[0].durations);
  EXPECT_EQ(back.calls[0].sizes.at(4).bytes, 80U);
  EXPECT_DOUBLE_EQ(back.calls[0].exposed_ns, 4);
  EXPECT_TRUE(back.calls[0].is_own);
  EXPECT_DOUBLE_EQ(back.ns_per_tick, 0.25);
  EXPECT_EQ(back.slices.meetings_ns, profile.slices.meetings_ns);
  ASSERT_EQ(back.sent.size(), 1U);
  EXPECT_TRUE(back.sent[0].is_read);
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
  const Profile profile = merge(ranks, find_source);
  ASSERT_EQ(profile.sites.size(), 2U);
  EXPECT_EQ(profile.sites[0].total.function, "MPI_Send") << "longest first";
  const SiteProfile& barrier = profile.sites[1];
  EXPECT_EQ(barrier.total.calls, 10U);
  EXPECT_EQ(barrier.callers, 2);
  EXPECT_DOUBLE_EQ(barrier.min_rank_ns, 10);
  EXPECT_DOUBLE_EQ(barrier.max_rank_ns, 20);
  EXPECT_DOUBLE_EQ(barrier.waiting.waiting_ns, 10);
  EXPECT_DOUBLE_EQ(barrier.waiting.caused_ns.at(1), 10);
  // Rank 0 waited in half of the call that was sampled; rank 1 came last.
  EXPECT_DOUBLE_EQ(profile.ranks[0].times.waiting_ns, 5);
  EXPECT_DOUBLE_EQ(profile.ranks[0].times.transfer_ns, 5);
  EXPECT_DOUBLE_EQ(profile.ranks[1].times.waiting_ns, 0);
  EXPECT_DOUBLE_EQ(profile.ranks[1].times.transfer_ns, 20);
  EXPECT_DOUBLE_EQ(profile.ranks[1].times.mpi_ns, 520);
}

TEST(Profile, KeepsThalwegsOwnCallsApart) {
  RankProfile rank{0, 0, "host", 1, 100, {}, {}};
  rank.calls.push_back({"MPI_Barrier", {"app", 1}, 0, 2, 5, 0, 10, 3, 1, {}});
  rank.calls.push_back({"MPI_Iprobe", {"libthalweg-stream-mpich.so", 1}, 0, 2, 5, 0, 70, 3, 1, {}});
  rank.calls[1].is_own = true;
  const Profile profile = merge({rank}, find_source);
  ASSERT_EQ(profile.sites.size(), 1U);
  EXPECT_EQ(profile.sites[0].total.function, "MPI_Barrier");
  ASSERT_EQ(profile.own_sites.size(), 1U);
  EXPECT_EQ(profile.own_sites[0].total.function, "MPI_Iprobe");
  EXPECT_DOUBLE_EQ(profile.ranks[0].times.mpi_ns, 10);
  EXPECT_DOUBLE_EQ(profile.ranks[0].times.own_ns, 70);
}

TEST(Profile, AddsHistogramsOfClocksOfOtherRates) {
  std::vector<RankProfile> ranks(3);
  for (int rank = 0; rank < 3; ++rank) {
    RankProfile& own = ranks[static_cast<std::size_t>(rank)];
    own.rank = rank;
    own.ns_per_tick = rank == 2 ? 0.5 : 0.25 + 1e-5 * rank;
    own.calls.push_back({"MPI_Barrier", {"app", 1}, 0, 2, 1, 0, 1e3, 1e3, 1, {}});
    const auto ticks = static_cast<std::uint64_t>(1000 / own.ns_per_tick);
    own.calls[0].durations[static_cast<std::uint16_t>(duration_class(ticks))] = 1;
  }
  const Profile profile = merge(ranks, find_source);
  std::uint64_t calls = 0;
  for (const auto& [index, count] : profile.sites[0].total.durations) {
    calls += count;
    EXPECT_NEAR(static_cast<double>(duration_class_begin(index)) * profile.ns_per_tick, 1000, 300);
  }
  EXPECT_EQ(calls, 3U);
}

} // namespace
} // namespace thalweg::mpi::observe

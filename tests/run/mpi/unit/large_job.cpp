// SPDX-License-Identifier: BSD-3-Clause

// A report of ten thousand ranks is one of bounded size.

#include "mpi/observe/document_parts.hpp"
#include "mpi/observe/merging.hpp"
#include "mpi/observe/output.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace thalweg::mpi::observe {
namespace {

constexpr int rank_count = 10'000;
constexpr int ranks_per_node = 64;
constexpr int node_count = (rank_count + ranks_per_node - 1) / ranks_per_node;
constexpr int site_count = 40;

CallProfile call(int rank, int site) {
  CallProfile call{"MPI_Allreduce",
                   {"/home/ada/app", static_cast<std::uint64_t>(site)},
                   0,
                   rank_count,
                   1000,
                   64'000,
                   1e6 * (1 + rank % 7),
                   1e5,
                   1e6,
                   {{{"native", "no strategy chosen"}, 1000}}};
  for (std::uint16_t index = 40; index < 80; ++index)
    call.durations[index] = 25;
  call.sizes[7] = {1000, 64'000};
  return call;
}

RankProfile rank_profile(int rank) {
  RankProfile profile{rank, rank / ranks_per_node, fmt::format("node{}", rank / ranks_per_node), 1, 2e9, {},
                      {}};
  SampledCommunicator samples{1, rank_count, {}};
  for (int site = 0; site < site_count; ++site) {
    profile.calls.push_back(call(rank, site));
    const double late = rank % 1000 == site ? 500.0 : 0.0;
    samples.calls.push_back({static_cast<std::uint64_t>(site), 1e6 * site + late, 1e6 * site + 1000,
                             static_cast<std::uint32_t>(site)});
  }
  profile.samples.push_back(std::move(samples));
  profile.slices = {0, 2e7, std::vector<double>(max_slices, 1e6), std::vector<double>(max_slices, 5e5)};
  for (int node = 0; node < node_count; ++node)
    profile.sent.push_back({node, 1000U + static_cast<std::uint64_t>(rank % 13), 10});
  return profile;
}

TEST(LargeJob, HasAReportOfBoundedSize) {
  Merger merger(
      [](const Location& place) -> Source {
        return {fmt::format("a.cpp:{} (solve)", place.address), "/home/ada/a.cpp",
                static_cast<int>(place.address), "solve"};
      },
      traffic_rows(rank_count, node_count));
  for (int rank = 0; rank < rank_count; ++rank)
    merger.add(rank_profile(rank));
  RunDescription run;
  run.node_count = node_count;
  const std::string text = document(run, merger.finish());
  EXPECT_LE(text.size(), std::size_t{5'000'000});

  const nlohmann::json all = nlohmann::json::parse(text);
  EXPECT_EQ(all["ranks"].size(), 64U);
  ASSERT_EQ(all["rank_groups"].size(), static_cast<std::size_t>(node_count));
  int ranks = 0;
  for (const nlohmann::json& group : all["rank_groups"]) {
    ranks += group["ranks"].get<int>();
    EXPECT_LE(group["mpi_ns_min"], group["mpi_ns"]);
    EXPECT_LE(group["mpi_ns"], group["mpi_ns_max"]);
  }
  EXPECT_EQ(ranks, rank_count);
  EXPECT_EQ(all["slices"]["rows"].size(), 64U);
  EXPECT_EQ(all["traffic"]["by"], "node");
  EXPECT_EQ(all["traffic"]["entries"].size(), 20'000U);
  EXPECT_LT(all["traffic"]["kept_share"], 1.0);
  EXPECT_EQ(all["traffic"]["groups"].size(), static_cast<std::size_t>(node_count));
  ASSERT_EQ(all["calls"].size(), static_cast<std::size_t>(site_count));
  EXPECT_EQ(all["calls"][0]["calls"], 1000 * rank_count);
  EXPECT_LE(all["calls"][0]["last_ranks"].size(), 128U);
  EXPECT_EQ(all["ranks_without_report"], 0);
}

TEST(LargeJob, ShowsTheRanksOfTheExtremes) {
  Profile profile;
  for (int rank = 0; rank < 2000; ++rank) {
    RankProfile& own = profile.ranks.emplace_back();
    own.rank = rank;
    own.node = rank / 100;
    own.times.mpi_ns = (rank * 7919) % 2000;
  }
  const nlohmann::ordered_json shown = ranks_document(profile);
  ASSERT_EQ(shown.size(), 64U);
  int before = -1;
  for (const nlohmann::ordered_json& rank : shown) {
    EXPECT_TRUE(rank["mpi_ns"] < 32 || rank["mpi_ns"] >= 1968) << rank;
    EXPECT_GT(rank["rank"], before);
    before = rank["rank"];
  }
  EXPECT_EQ(rank_groups_document(profile).size(), 20U);
}

} // namespace
} // namespace thalweg::mpi::observe

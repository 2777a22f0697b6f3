// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/picks.hpp"

#include <gtest/gtest.h>

namespace thalweg::mpi::observe {
namespace {

SiteProfile site(const char* function, const char* strategy, std::uint64_t bytes, int ranks = 8) {
  SiteProfile result;
  result.total.function = function;
  result.total.ranks = ranks;
  result.total.calls = 10;
  result.total.bytes = 10 * bytes;
  result.total.endings[{strategy, ""}] = 10;
  return result;
}

Profile profile_of(std::vector<SiteProfile> sites) {
  Profile profile;
  profile.sites = std::move(sites);
  return profile;
}

const std::string learned = R"([{"call": "alltoall", "ranks": 8, "bytes": 64, "use": "ring", "trials": [
    {"candidate": "native", "measured_s": 3e-4}, {"candidate": "bruck", "predicted_s": 5e-4},
    {"candidate": "ring", "measured_s": 2e-4, "predicted_s": 1e-4}]}])";

TEST(Picks, AreWhatWasLearned) {
  const Profile profile = profile_of({site("MPI_Bcast", "native", 8), site("MPI_Alltoall", "ring", 64)});
  const std::vector<PickProfile> picks = picks_of({learned, {}, ""}, profile);
  ASSERT_EQ(picks.size(), 1U);
  EXPECT_EQ(picks[0].source, "learned");
  EXPECT_EQ(picks[0].strategy, "ring");
  EXPECT_DOUBLE_EQ(picks[0].seconds, 2e-4);
  EXPECT_DOUBLE_EQ(picks[0].predicted_seconds, 1e-4);
  ASSERT_EQ(picks[0].alternatives.size(), 2U);
  EXPECT_DOUBLE_EQ(picks[0].alternatives[0].seconds, 3e-4);
  EXPECT_DOUBLE_EQ(picks[0].alternatives[1].seconds, 0);
  EXPECT_EQ(call_index(picks[0], profile), 1);
}

TEST(Picks, AreThoseOfTheTuningFileThatRan) {
  const std::vector<TunedPick> tuned{{"allreduce", 8, 8, "ring", 1e-5, 2e-5},
                                     {"allreduce", 1 << 20, 8, "ring", 1e-3, 3e-3},
                                     {"allreduce", 8, 4, "ring", 1e-6, 2e-6},
                                     {"bcast", 8, 8, "binomial", 1e-6, 2e-6}};
  const Profile profile =
      profile_of({site("MPI_Allreduce", "ring", 1 << 19), site("MPI_Barrier", "native", 0)});
  const std::vector<PickProfile> picks = picks_of({"", tuned, ""}, profile);
  ASSERT_EQ(picks.size(), 1U);
  EXPECT_EQ(picks[0].source, "tuning file");
  EXPECT_EQ(picks[0].bytes, 1 << 20) << "the nearest size";
  ASSERT_EQ(picks[0].alternatives.size(), 1U);
  EXPECT_EQ(picks[0].alternatives[0].strategy, "native");
  EXPECT_DOUBLE_EQ(picks[0].alternatives[0].seconds, 3e-3);
}

TEST(Picks, AreTheUsersOwn) {
  const Profile profile =
      profile_of({site("MPI_Iallreduce", "ring", 100), site("MPI_Alltoall", "mesh2d", 8)});
  const std::vector<PickProfile> picks = picks_of({"", {}, "allreduce=ring;alltoall=mesh2d"}, profile);
  ASSERT_EQ(picks.size(), 2U);
  EXPECT_EQ(picks[0].operation, "allreduce");
  EXPECT_EQ(picks[0].source, "use");
  EXPECT_EQ(picks[1].operation, "alltoall");
  EXPECT_EQ(call_index(picks[1], profile), 1);
  PickProfile other = picks[0];
  other.operation = "gather";
  EXPECT_EQ(call_index(other, profile), -1);
}

} // namespace
} // namespace thalweg::mpi::observe

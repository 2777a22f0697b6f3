// SPDX-License-Identifier: BSD-3-Clause
#include "base/error.hpp"
#include "programs.hpp"

#include <gtest/gtest.h>

namespace thalweg::simulate {
namespace {

struct Oracle {
  std::string_view name;
  std::int64_t ranks;
  std::int64_t bytes;
  Ticks finish;
  Ties ties = Ties::in_order;
};

// What LogGOPSim (76451de) prints for its generator's programs with its own defaults. The root of the largest
// broadcast has twenty sends, which it mixes up: in their order they are over after 20 rounds of 11,638 ns.
constexpr Oracle oracles[] = {
    {"dissemination", 1024, 8, 55'420},
    {"dissemination", 1024, 1024, 116'380},
    {"dissemination", 8192, 1024, 151'294},
    {"dissemination", 65536, 8, 88'672},
    {"dissemination", 65536, 1024, 186'208},
    {"binomialtreebcast", 1024, 1024, 116'380},
    {"binomialtreebcast", 65536, 1024, 186'208},
    {"binomialtreebcast", 1048576, 1024, 542'332, Ties::as_loggopsim},
    {"binomialtreebcast", 1048576, 1024, 232'760},
    {"linear_alltoall", 256, 1024, 2'967'690},
    {"linear_alltoall", 512, 1024, 5'947'018},
    {"allreduce_recdoub", 16, 1024, 55'472},
    {"allreduce_ring", 4, 1024, 42'180},
    {"allreduce_ring", 8, 1024, 87'668},
};

class LogGopSim : public testing::TestWithParam<Oracle> {};

TEST_P(LogGopSim, FinishesAtTheSameNanosecond) {
  const Oracle& oracle = GetParam();
#ifndef __GLIBCXX__
  if (oracle.ties == Ties::as_loggopsim)
    GTEST_SKIP() << "another library mixes equal elements up in another way";
#endif
  const Program program = sample_program(oracle.name, oracle.ranks, oracle.bytes, loggops());
  EXPECT_EQ(simulate_loggp(program, {.ties = oracle.ties}).finish, oracle.finish);
}

INSTANTIATE_TEST_SUITE_P(Oracles, LogGopSim, testing::ValuesIn(oracles), [](const auto& tested) {
  return std::string(tested.param.name) + "_" + std::to_string(tested.param.ranks) + "_" +
         std::to_string(tested.param.bytes) + (tested.param.ties == Ties::in_order ? "" : "_mixed");
});

// LogGOPSim leaves 448 receives of this program, says nothing of it and exits with 0.
TEST(LogGopSimTies, LetARingStallThatIsRightInOrder) {
#ifndef __GLIBCXX__
  GTEST_SKIP() << "another library mixes equal elements up in another way";
#endif
  const Program program = sample_program("allreduce_ring", 16, 1024, loggops());
  EXPECT_NO_THROW(simulate_loggp(program));
  try {
    simulate_loggp(program, {.ties = Ties::as_loggopsim});
    FAIL() << "it went on";
  } catch (const Error& error) {
    EXPECT_NE(error.problem().find("and 436 more"), std::string::npos) << error.problem();
    EXPECT_NE(error.problem().find("rank 0, operation "), std::string::npos) << error.problem();
  }
}

} // namespace
} // namespace thalweg::simulate

// SPDX-License-Identifier: BSD-3-Clause
#include "tune/switch_point.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <vector>

namespace thalweg::tune {
namespace {

using Step = SwitchPoint::Step;

// A rank of a program that starts one nonblocking call after the other, and what it knows of the agreements
// that begin with the first of them.
struct SimulatedRank {
  std::unique_ptr<SwitchPoint> point = std::make_unique<SwitchPoint>();
  std::uint32_t starts = 0;
  std::uint32_t vote = 0;
  bool waits = false;
  bool knows = false;
  std::uint32_t switched = 0; // with which start; 0: with none so far
};

class SimulatedJob {
public:
  explicit SimulatedJob(std::size_t ranks) : ranks_(ranks) {}

  SimulatedRank& operator[](std::size_t rank) { return ranks_[rank]; }
  std::size_t size() const { return ranks_.size(); }

  // The rank makes a start, or looks again at the one that waits.
  void start(SimulatedRank& rank) {
    if (rank.starts == 0)
      rank.point->open();
    const Step step = rank.waits ? rank.point->look() : rank.point->start();
    rank.starts += rank.waits ? 0 : 1;
    rank.waits = step == Step::unknown;
    if (step == Step::behind && rank.switched == 0)
      rank.switched = rank.starts;
  }

  // What any call of MPI does, also one that waits: nothing here depends on starts still to come.
  void progress(SimulatedRank& rank) {
    const bool has_first = std::ranges::all_of(ranks_, [](const auto& one) { return one.starts > 0; });
    if (has_first && rank.vote == 0)
      rank.vote = rank.point->vote();
    const bool has_second = std::ranges::all_of(ranks_, [](const auto& one) { return one.vote > 0; });
    if (has_second && !rank.knows) {
      rank.knows = true;
      rank.point->agree(std::ranges::max_element(ranks_, {}, &SimulatedRank::vote)->vote);
    }
  }

private:
  std::vector<SimulatedRank> ranks_;
};

TEST(SwitchPoint, IsTheSameStartOnAllRanksInAnyOrder) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    std::mt19937 random(seed);
    SimulatedJob job(1 + random() % 6);
    std::vector<unsigned> pace; // how often a rank makes a start rather than a look
    for (std::size_t rank = 0; rank < job.size(); ++rank)
      pace.push_back(random() % 95);
    const auto has_switched = [&] {
      for (std::size_t rank = 0; rank < job.size(); ++rank)
        if (job[rank].switched == 0)
          return false;
      return true;
    };
    for (int event = 0; event < 1'000'000 && !has_switched(); ++event) {
      const std::size_t rank = random() % job.size();
      if (random() % 100 <= pace[rank])
        job.start(job[rank]);
      else
        job.progress(job[rank]);
    }
    ASSERT_TRUE(has_switched()) << seed;
    for (std::size_t rank = 0; rank < job.size(); ++rank)
      ASSERT_EQ(job[rank].switched, job[0].switched) << seed;
  }
}

// Others may start nothing more until this rank has, as they wait for a message that it sends later.
TEST(SwitchPoint, NoRankWaitsForStartsOfOthers) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    std::mt19937 random(seed);
    SimulatedJob job(2 + random() % 5);
    const bool have_begun = random() % 2 == 0;
    for (std::size_t rank = 1; rank < job.size(); ++rank)
      for (auto starts = have_begun ? 1 + random() % 3 : 0; starts > 0; --starts)
        job.start(job[rank]);
    for (int start = 0; start < 200; ++start) {
      job.start(job[0]);
      for (int looks = 0; job[0].waits && looks < 2; ++looks) {
        for (std::size_t rank = 0; rank < job.size(); ++rank)
          job.progress(job[rank]);
        job.start(job[0]);
      }
      ASSERT_FALSE(job[0].waits) << seed;
      if (random() % 2 == 0)
        job.progress(job[random() % job.size()]);
    }
    EXPECT_EQ(job[0].starts, 200U);
    EXPECT_TRUE(have_begun || job[0].switched == 0) << "nobody may have voted before all have begun";
  }
}

// Where both agreements take so many starts, nobody comes to the one that it voted for before the second has
// ended.
TEST(SwitchPoint, AgreementsThatLastAsLongAreNotWaitedFor) {
  for (std::uint32_t lasting = 1; lasting <= 16; ++lasting) {
    SwitchPoint point;
    point.open();
    for (std::uint32_t start = 0; start < lasting; ++start)
      ASSERT_EQ(point.start(), Step::before);
    const std::uint32_t vote = point.vote();
    for (std::uint32_t start = 0; start < 2 * lasting - 1; ++start)
      ASSERT_EQ(point.start(), Step::before) << lasting;
    point.agree(vote);
    std::uint32_t start = 3 * lasting;
    while (point.start() == Step::before)
      ++start;
    EXPECT_EQ(start, vote) << "it holds from the start that was voted for on";
  }
}

} // namespace
} // namespace thalweg::tune

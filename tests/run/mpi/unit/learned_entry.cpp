// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/learn/learned_entry.hpp"

#include <gtest/gtest.h>

namespace thalweg::mpi {
namespace {

using tune::Outcome;

LearnedEntry entry(bool searched, std::string use, Outcome outcome) {
  LearnedEntry made;
  made.call = "allreduce";
  made.ranks = 8;
  made.nodes = 2;
  made.bytes = 64;
  made.calls = 4000;
  made.state = tune::Learner::State::settled;
  made.searched = searched;
  made.searches = 3;
  made.use = std::move(use);
  made.seconds = 0.25;
  made.trials = {{.text = "native", .seconds = 2e-6, .rounds = 5, .outcome = Outcome::outdone},
                 {.text = "ring", .predicted = 1e-6, .seconds = 1e-6, .rounds = 7, .outcome = outcome},
                 {.text = "knomial", .predicted = 3e-6}};
  return made;
}

TEST(LearnedEntry, ArrivesAsItWasSent) {
  for (const Outcome outcome : tune::outcomes) {
    const std::vector<LearnedEntry> sent{entry(true, "ring", outcome), entry(false, "native", outcome)};
    const std::vector<LearnedEntry> received = unpack(pack(sent));
    ASSERT_EQ(received.size(), 2U);
    EXPECT_EQ(document_of(received), document_of(sent));
    EXPECT_EQ(received[0].trials[1].outcome, outcome);
    EXPECT_EQ(received[0].state, tune::Learner::State::settled);
  }
}

TEST(LearnedEntry, OutcomesHaveDifferentTexts) {
  for (const Outcome one : tune::outcomes)
    for (const Outcome other : tune::outcomes)
      EXPECT_EQ(tune::text_of(one) == tune::text_of(other), one == other);
}

TEST(LearnedEntry, IsAPickWhereItWasFoundOut) {
  const std::optional<tune::Pick> pick = pick_of(entry(true, "ring", Outcome::in_use));
  ASSERT_TRUE(pick);
  EXPECT_EQ(strategies::to_text(pick->use), "ring");
  EXPECT_EQ(pick->seconds, 1e-6);
  EXPECT_EQ(pick->native_seconds, 2e-6);
  EXPECT_EQ(pick->trials, 7);
  EXPECT_EQ(pick->source, tune::online_source);
  EXPECT_EQ(pick_of(entry(false, "ring", Outcome::in_use))->source, "online, unfinished");
}

TEST(LearnedEntry, NonblockingCallsArePicksOfTheirOperation) {
  LearnedEntry started = entry(true, "ring", Outcome::in_use);
  EXPECT_FALSE(started.is_nonblocking());
  started.call = "iallreduce";
  EXPECT_TRUE(started.is_nonblocking());
  EXPECT_FALSE(started.is_same_case(entry(true, "ring", Outcome::in_use)));
  const std::optional<tune::Pick> pick = pick_of(started);
  ASSERT_TRUE(pick);
  EXPECT_EQ(pick->call, "allreduce");
}

TEST(LearnedEntry, IsNamedAsInMpi) {
  struct Name {
    const char* call;
    bool blocks, is_persistent;
  };
  for (const auto& [call, blocks, is_persistent] :
       {Name{"allreduce", true, false}, {"iallreduce", false, false}, {"allreduce_init", false, true}}) {
    LearnedEntry named = entry(true, "ring", Outcome::in_use);
    named.call = LearnedEntry::name_of("allreduce", blocks, is_persistent);
    EXPECT_EQ(named.call, call);
    EXPECT_EQ(named.operation(), "allreduce");
    EXPECT_EQ(named.blocks(), blocks);
    EXPECT_EQ(named.is_persistent(), is_persistent);
    EXPECT_EQ(pick_of(named)->call, "allreduce");
  }
}

TEST(LearnedEntry, IsNoPickWhereNothingWasFoundOut) {
  EXPECT_FALSE(pick_of(entry(true, "ring", Outcome::began_with))) << "the tuning file has it already";
  EXPECT_FALSE(pick_of(entry(false, "native", Outcome::not_faster))) << "the search has not come to its end";
  EXPECT_FALSE(pick_of(entry(true, "knomial", Outcome::in_use))) << "it was never measured";
  EXPECT_TRUE(pick_of(entry(true, "native", Outcome::not_faster)));
}

} // namespace
} // namespace thalweg::mpi

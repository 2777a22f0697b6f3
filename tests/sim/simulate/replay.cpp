// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/replay.hpp"

#include "base/error.hpp"
#include "simulate/goal.hpp"
#include "simulate/schedules.hpp"
#include "simulate/simulation.hpp"
#include "strategies/sample.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

namespace thalweg::simulate {
namespace {

constexpr LogGops parameters{};

ReplayOptions options_with(const std::string& selections = "", double scale = 1) {
  return {.cost = [](std::int64_t bytes, std::uint32_t, std::uint32_t) { return parameters.cost(bytes); },
          .selections = strategies::parse_selections(selections),
          .computation_scale = scale};
}

/// A trace of ranks of the world with these lines, each for one rank.
pattern::CallTrace trace_of(const std::vector<std::string>& ranks, const std::string& members = "") {
  std::string text = fmt::format("thalweg-trace 1\nranks {}\n", ranks.size());
  std::string world;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    world += fmt::format(" {}", rank);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    text += fmt::format("rank {}\ncommunicator 0 1{}\n", rank, world);
    if (!members.empty())
      text += fmt::format("communicator 1 2 {}\n", members);
    text += ranks[rank].starts_with("thread") ? ranks[rank] : "thread\n" + ranks[rank];
  }
  return pattern::parse_call_trace(text + "end of trace\n", "a test");
}

Ticks finish_of(const pattern::CallTrace& trace, const ReplayOptions& options = options_with()) {
  const Replay found = replay(trace, options);
  return simulate(found.program, {}).result.finish;
}

Ticks one_way(std::int64_t bytes) {
  const MessageCost cost = parameters.cost(bytes);
  return cost.delay() + cost.receive();
}

TEST(Replay, ComputesBeforeItCalls) {
  const auto trace = trace_of({"5000 send 0 1 7 100\n", "100 receive 0 0 7\n900 wait\n"});
  EXPECT_EQ(finish_of(trace), 5000 + one_way(100) + 900);
  EXPECT_EQ(finish_of(trace, options_with("", 3)), 15000 + one_way(100) + 2700);
  EXPECT_EQ(finish_of(trace, options_with("", 0)), one_way(100));
}

TEST(Replay, WritesLoopsOut) {
  const auto trace = trace_of({"loop 10\nloop 3\n0 send 0 1 7 8\n0 receive 0 1 7\nend\n50 wait\nend\n",
                               "loop 30\n0 receive 0 0 7\n0 send 0 0 7 8\nend\n"});
  EXPECT_EQ(finish_of(trace), 30 * 2 * one_way(8) + 10 * 50);
}

TEST(Replay, ComputesWhileMessagesAreOnTheirWay) {
  const Ticks long_time = 100 * one_way(1000);
  const std::string overlapped = "0 ireceive 0 0 {0} 7\n0 isend 1 0 {0} 7 1000\n{1} wait 0 1\n";
  const auto trace = trace_of({fmt::format(fmt::runtime(overlapped), 1, long_time),
                               fmt::format(fmt::runtime(overlapped), 0, long_time)});
  EXPECT_LE(finish_of(trace), long_time + 2 * one_way(1000) - parameters.cost(1000).delay());
  const std::string apart = "0 ireceive 0 0 {0} 7\n0 isend 1 0 {0} 7 1000\n0 wait 0 1\n{1} wait\n";
  EXPECT_GE(finish_of(trace_of({fmt::format(fmt::runtime(apart), 1, long_time),
                                fmt::format(fmt::runtime(apart), 0, long_time)})),
            long_time + one_way(1000));
}

// The later message was received first in the recorded run, so the receives are these two.
TEST(Replay, AnyMessageIsTheOneThatCame) {
  const std::string root = "0 ireceive 0 0 any any\n0 wait 0:2:5\n0 ireceive 0 0 any 5\n0 wait 0:1:5\n";
  const auto trace = trace_of({root, "0 send 0 0 5 8\n", "90000 send 0 0 5 8\n"});
  EXPECT_EQ(finish_of(trace), 90000 + one_way(8));
  const auto canceled = trace_of({"0 ireceive 0 0 any any\n7 wait 0:canceled\n", "", ""});
  EXPECT_EQ(finish_of(canceled), 7);
}

TEST(Replay, SynchronousSendsWaitForTheirReceiver) {
  EXPECT_EQ(finish_of(trace_of({"0 send 0 1 7 8\n3 wait\n", "50000 receive 0 0 7\n"})),
            50000 + parameters.cost(8).receive());
  EXPECT_GE(finish_of(trace_of({"0 ssend 0 1 7 8\n3 wait\n", "50000 receive 0 0 7\n"})), 50003);
}

/// What simulating the strategy by itself says.
Ticks alone(const std::string& selection, int ranks, std::int64_t bytes) {
  const auto sample =
      strategies::make_sample(selection, {.ranks = ranks, .ranks_per_node = 1, .unit_bytes = bytes});
  return simulate(program_of(sample, schedule::GoalSizes{.unit_bytes = bytes}, parameters).program, {})
      .result.finish;
}

TEST(Replay, CollectivesAreTheirStrategies) {
  for (const std::string name : {"ring", "recursive_doubling", "rabenseifner"}) {
    const std::string selection = "allreduce=" + name;
    const std::string call = "0 collective 0 allreduce 4096 0 native\n";
    EXPECT_EQ(finish_of(trace_of({call, call, call, call}), options_with(selection)),
              alone(selection, 4, 4096));
    const std::string ran = fmt::format("0 collective 0 allreduce 4096 0 {}\n", name);
    EXPECT_EQ(finish_of(trace_of({ran, ran, ran, ran})), alone(selection, 4, 4096));
  }
}

TEST(Replay, CommunicatorsHaveRanksOfTheirOwn) {
  const std::string call = "0 collective 1 allreduce 4096 0 ring\n";
  EXPECT_EQ(finish_of(trace_of({"", call, "", call, call}, "4 1 3")), alone("allreduce=ring", 3, 4096));
  // Two that are under way at once do not disturb each other's messages.
  const std::string both =
      "0 icollective 0 0 allreduce 64 0 ring\n0 icollective 1 0 allreduce 64 0 ring\n0 wait 0 1\n";
  EXPECT_LE(finish_of(trace_of({both, both, both})), 2 * alone("allreduce=ring", 3, 64));
}

TEST(Replay, BlocksOfTheirOwnGoStraight) {
  const auto trace = trace_of({"0 collective 0 alltoallv 0 0 native to 0,5000,0 from 0,0,0\n",
                               "0 collective 0 alltoallv 0 0 native to 0,9,0 from 5000,9,0\n",
                               "0 collective 0 alltoallv 0 0 native to 3*0 from 3*0\n"});
  EXPECT_EQ(finish_of(trace), one_way(5000));
  const auto rooted =
      trace_of({"0 collective 0 gatherv 0 0 native from 7,0,300\n", "0 collective 0 gatherv 0 0 native\n",
                "0 collective 0 gatherv 300 0 native\n"});
  EXPECT_EQ(finish_of(rooted), one_way(300));
}

// A lock, a thing written, and one read, for which the rank that is reached need do nothing.
TEST(Replay, OneSidedCallsAreMessagesAndAnswers) {
  const auto takes = [](const std::string& lines, Ticks other = 0) {
    return finish_of(trace_of({lines, fmt::format("{} wait\n", other)}));
  };
  EXPECT_EQ(takes("0 remote 0 1 0 0\n"), 2 * one_way(0));
  EXPECT_EQ(takes("0 remote 0 1 0 0\n", 3 * one_way(0)), 3 * one_way(0));
  EXPECT_EQ(takes("0 iremote 0 0 1 900 0\n0 wait 0\n7 wait\n"), one_way(900) + one_way(0) + 7);
  EXPECT_EQ(takes("0 iremote 0 0 1 0 900\n0 wait 0\n7 wait\n"), one_way(900) + one_way(0) + 7);
  EXPECT_EQ(takes("5 iremote 0 0 0 900 900\n0 wait 0\n7 wait\n"), 12); // its own memory
}

// Calls of one request are over together, and those of several ranks meet nobody else's answers.
TEST(Replay, OneSidedCallsAreOverWhenTheyAreWaitedFor) {
  const std::string many =
      "loop 5\n0 iremote 0 0 {0} 64 8\nend\n0 wait 0\n0 collective 0 barrier 0 0 native\n";
  const auto all = trace_of({fmt::format(fmt::runtime(many), 1), fmt::format(fmt::runtime(many), 2),
                             fmt::format(fmt::runtime(many), 0)});
  const Replay found = replay(all, options_with());
  EXPECT_TRUE(found.remarks.empty());
  EXPECT_GE(simulate(found.program, {}).result.finish, one_way(64) + one_way(8) + one_way(0));
  const auto threads = trace_of({"thread\n0 remote 0 1 0 5000\nthread\n0 remote 0 1 0 8\n", ""});
  EXPECT_GE(finish_of(threads), one_way(0) + one_way(5000));
}

TEST(Replay, ThreadsComputeSideBySide) {
  EXPECT_EQ(finish_of(trace_of({"thread\n5000 wait\nthread\n4000 wait\n"})), 5000);
}

TEST(Replay, SaysWhatIsNotAsItWas) {
  auto trace = trace_of({"0 collective 0 barrier 0 0 native\n", "0 collective 0 barrier 0 0 native\n"});
  EXPECT_TRUE(replay(trace, options_with()).remarks.empty());
  trace.lacks = {"3 one-sided calls"};
  EXPECT_EQ(replay(trace, options_with()).remarks.size(), 1U);
  trace.ranks[0].threads[0].is_cut = true;
  EXPECT_THROW(replay(trace, options_with()), Error);
}

TEST(Replay, RefusesWhatCannotBe) {
  const auto refuses = [](const std::vector<std::string>& lines, const ReplayOptions& options) {
    EXPECT_THROW(finish_of(trace_of(lines), options), Error) << lines[0];
  };
  refuses({"0 collective 0 allrecude 8 0 native\n", ""}, options_with());
  refuses({"loop 2000000000\nloop 2000000000\n0 wait\nend\nend\n", ""}, options_with());
  refuses({"0 receive 0 1 7\n", ""}, options_with()); // waits for good, which is an error
  refuses({"0 wait\n", ""}, options_with("", -1));
}

TEST(Replay, IsTheSameAsGoal) {
  const std::string step = "0 ireceive 0 0 {0} 7\n40 isend 1 0 {0} 7 90000\n70 wait 0 1\n";
  const std::string others = "loop 3\n9 collective 0 allreduce 5000 0 native\nend\n";
  const auto trace = trace_of({fmt::format(fmt::runtime(step), 1) + others,
                               fmt::format(fmt::runtime(step), 0) + others, "5 wait\n" + others});
  const Program program = replay(trace, options_with()).program;
  const Program read = read_goal_text(write_goal(program), "a text", options_with().cost);
  EXPECT_EQ(fingerprint(simulate(read, {}).result), fingerprint(simulate(program, {}).result));
}

/// Threads that are all told of each other by rounds of messages, whatever they are: the same bits each time.
TEST(Replay, IsTheSameEachTime) {
  std::mt19937 random(4);
  std::vector<std::string> ranks(5);
  for (int round = 0; round < 40; ++round) {
    const auto from = random() % 5;
    const auto to = random() % 5;
    ranks[from] += fmt::format("{} isend 0 0 {} 3 {}\n0 wait 0\n", random() % 9000, to, random() % 9000);
    ranks[to] += fmt::format("{} receive 0 {} 3\n", random() % 9000, from);
    for (std::string& rank : ranks)
      if (round % 8 == 0)
        rank += "10 collective 0 allreduce 800 0 native\n";
  }
  const auto trace = trace_of(ranks);
  const auto print = [&] { return fingerprint(simulate(replay(trace, options_with()).program, {}).result); };
  EXPECT_EQ(print(), print());
}

} // namespace
} // namespace thalweg::simulate

// SPDX-License-Identifier: BSD-3-Clause
#include "pattern/call_trace.hpp"

#include "base/error.hpp"
#include "damaged.hpp"
#include "pattern/loop_folder.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace thalweg::pattern {
namespace {

using Calls = std::vector<std::uint32_t>;

void unroll(const std::vector<TraceItem>& items, Calls& calls) {
  for (const TraceItem& item : items) {
    if (item.repeats == 0)
      calls.push_back(item.call);
    for (std::uint32_t round = 0; round < item.repeats; ++round)
      unroll(item.body, calls);
  }
}

std::size_t lines_of(const std::vector<TraceItem>& items) {
  std::size_t lines = 0;
  for (const TraceItem& item : items)
    lines += 1 + lines_of(item.body);
  return lines;
}

/// Loops inside of loops, some of which have different numbers of rounds each time, with stray calls between.
void append_program(std::mt19937& random, int depth, Calls& calls) {
  for (auto part = random() % 4 + 1; part > 0; --part) {
    const auto rounds = random() % 5 + 1;
    const auto first = static_cast<std::uint32_t>(random() % 5);
    for (std::uint32_t round = 0; round < rounds; ++round) {
      calls.push_back(first);
      if (depth > 0 && random() % 3 > 0)
        append_program(random, depth - 1, calls);
    }
  }
}

TEST(LoopFolder, LosesNothing) {
  std::mt19937 random(1);
  for (int round = 0; round < 400; ++round) {
    Calls calls;
    append_program(random, 3, calls);
    LoopFolder folder(1 << 20);
    double computed = 0;
    for (const std::uint32_t call : calls) {
      const auto ticks = random() % 1000 * 1000;
      ASSERT_TRUE(folder.append(call, ticks));
      computed += static_cast<double>(ticks);
    }
    const std::vector<TraceItem> items = folder.take(0.5);
    Calls unrolled;
    unroll(items, unrolled);
    EXPECT_EQ(unrolled, calls);
    EXPECT_EQ(calls_of(items), calls.size());
    // Means are rounded.
    EXPECT_NEAR(computed_in(items), 0.5 * computed, static_cast<double>(calls.size()));
  }
}

TEST(LoopFolder, KeepsLoopsOnce) {
  LoopFolder folder(100);
  for (int step = 0; step < 1000; ++step) {
    for (int inner = 0; inner < 7; ++inner)
      for (const std::uint32_t call : {1U, 2U, 3U})
        ASSERT_TRUE(folder.append(call, 10));
    ASSERT_TRUE(folder.append(4, 20));
    for (int inner = 0; inner < 3; ++inner)
      ASSERT_TRUE(folder.append(5, 30));
    ASSERT_TRUE(folder.append(6, 40));
  }
  const std::vector<TraceItem> items = folder.take();
  EXPECT_EQ(lines_of(items), 9U); // the outer loop, two inner ones, and six calls
  EXPECT_EQ(calls_of(items), 26'000U);
  EXPECT_DOUBLE_EQ(computed_in(items), 1000.0 * (210 + 20 + 90 + 40));
}

TEST(LoopFolder, IsBounded) {
  LoopFolder folder(50);
  std::uint32_t taken = 0;
  while (taken < 1000 && folder.append(taken, 1))
    ++taken;
  EXPECT_EQ(taken, 50U);
  EXPECT_FALSE(folder.append(0, 1));
  EXPECT_EQ(calls_of(folder.take()), 50U);
}

TracedCall random_call(std::mt19937& random, std::int32_t ranks) {
  const auto below = [&](std::int32_t end) {
    return static_cast<std::int32_t>(random() % static_cast<unsigned>(end));
  };
  TracedCall call;
  call.kind = static_cast<TracedKind>(random() % 5);
  if (call.kind == TracedKind::wait) {
    for (auto count = random() % 4; count > 0; --count) {
      Completed one{below(9)};
      if (random() % 3 == 0)
        one.source = Completed::canceled;
      else if (random() % 2 == 0)
        one = {one.request, below(ranks), below(1000)};
      call.completed.push_back(one);
    }
    return call;
  }
  call.request = random() % 2 == 0 ? no_request : below(100);
  call.peer = below(ranks);
  if (call.kind == TracedKind::collective) {
    call.operation = random() % 2 == 0 ? "allreduce" : "alltoallv";
    call.implementation = random() % 2 == 0 ? "native" : "ring:segment=64KiB";
    call.bytes = random();
    for (std::vector<std::uint64_t>* const row : {&call.sent, &call.received})
      for (std::int32_t rank = 0; call.operation == "alltoallv" && rank < ranks; ++rank)
        row->push_back(random() % 3 == 0 ? random() : 64);
    return call;
  }
  if (call.kind == TracedKind::remote) {
    call.bytes = random();
    call.read = random();
    return call;
  }
  call.tag = below(1000);
  if (call.kind == TracedKind::send) {
    call.is_synchronous = random() % 2 == 0;
    call.bytes = random();
  } else if (random() % 3 == 0) {
    call.peer = any_message;
    call.tag = any_message;
  }
  return call;
}

CallTrace random_trace(std::mt19937& random) {
  CallTrace trace;
  trace.seconds = static_cast<double>(random() % 100) / 8;
  trace.command = "./app -n 100";
  trace.is_cpu_time = random() % 2 == 0;
  if (random() % 2 == 0)
    trace.lacks = {"3 one-sided calls"};
  trace.ranks.resize(random() % 4 + 1);
  for (TracedRank& rank : trace.ranks) {
    rank.communicators.push_back({random(), {}});
    for (std::size_t member = 0; member < trace.ranks.size(); ++member)
      rank.communicators[0].members.push_back(static_cast<std::int32_t>(member));
    for (int call = 0; call < 6; ++call)
      rank.calls.push_back(random_call(random, static_cast<std::int32_t>(trace.ranks.size())));
    for (auto thread = random() % 3; thread > 0; --thread) {
      LoopFolder folder(1000);
      for (auto count = random() % 30; count > 0; --count)
        folder.append(static_cast<std::uint32_t>(random() % 6), random());
      rank.threads.push_back({folder.take(), random() % 8 == 0});
    }
  }
  return trace;
}

// Calls that are alike are written out, so texts are compared.
TEST(CallTrace, ReadsWhatItWrote) {
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    const CallTrace trace = random_trace(random);
    const std::string text = to_text(trace);
    const CallTrace read = parse_call_trace(text, "a file");
    EXPECT_EQ(to_text(read), text);
    EXPECT_EQ(read.is_cut(), trace.is_cut());
    EXPECT_EQ(read.lacks, trace.lacks);
  }
}

TEST(CallTrace, RefusesByLine) {
  const std::string head = "thalweg-trace 1\nranks 2\n";
  const std::string rank = head + "rank 0\ncommunicator 0 1 0 1\nthread\n";
  const std::string end = "rank 1\nend of trace\n";
  ASSERT_NO_THROW(parse_call_trace(rank + "1 send 0 1 7 8\n" + end, "a file"));
  for (const std::string& text : {std::string(),
                                  std::string("thalweg-trace 2\n"),
                                  head,
                                  rank + "1 send 0 1 7 8\n",
                                  rank + "1 send 0 1 7 8\nend of trace\n",
                                  rank + "1 send 0 2 7 8\n" + end,
                                  rank + "1 send 1 1 7 8\n" + end,
                                  rank + "1 send 0 1 7\n" + end,
                                  rank + "1 send 0 1 7 8 9\n" + end,
                                  rank + "1 remote 0 2 7 8\n" + end,
                                  rank + "1 iremote 0 0 1 7\n" + end,
                                  rank + "1 sned 0 1 7 8\n" + end,
                                  rank + "x send 0 1 7 8\n" + end,
                                  rank + "loop 3\n1 wait 0\n" + end,
                                  rank + "end\n" + end,
                                  rank + "loop 0\nend\n" + end,
                                  rank + "1 collective 0 allreduce 8 2 native\n" + end,
                                  rank + "1 collective 0 allreduce 8 0\n" + end,
                                  rank + "1 collective 0 alltoallv 0 0 native to 1,2,3\n" + end,
                                  rank + "1 collective 0 alltoallv 0 0 native to 99999999*1\n" + end,
                                  rank + "1 wait 0:5:1\n" + end,
                                  head + "1 wait\n" + end,
                                  head + "rank 1\n" + end,
                                  head + "rank 0\n1 wait\nrank 1\nend of trace\n",
                                  rank + end + "more\n",
                                  head + "computation other\n" + end}) {
    expect_refused(text, parse_call_trace);
  }
}

TEST(CallTrace, SurvivesAnyText) {
  std::mt19937 random(3);
  for (int round = 0; round < 3000; ++round) {
    std::string text = to_text(random_trace(random));
    damage(text, random);
    try {
      const std::string again = to_text(parse_call_trace(text, "a file"));
      EXPECT_EQ(to_text(parse_call_trace(again, "a file")), again);
    } catch (const Error&) {
      continue;
    }
  }
}

} // namespace
} // namespace thalweg::pattern

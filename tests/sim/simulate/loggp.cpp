// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/loggp.hpp"

#include "base/error.hpp"
#include "programs.hpp"
#include "simulate/simulation.hpp"

#include <gtest/gtest.h>

namespace thalweg::simulate {
namespace {

// Defaults: L 2500, o 1500, g 1000, G 6.
constexpr Ticks byte_ticks = 6;

Simulation run(const Program& program) {
  return simulate(program, {.has_timeline = true});
}

std::string blocked(const Program& program) {
  try {
    simulate_loggp(program);
  } catch (const Error& error) {
    return error.problem();
  }
  return "it went on";
}

void expect_chain(const Result& result) {
  Ticks time = 0;
  for (const Segment& segment : result.path) {
    ASSERT_EQ(segment.begin, time);
    ASSERT_LT(segment.begin, segment.end);
    time = segment.end;
  }
  ASSERT_EQ(time, result.finish);
}

// Whatever the program: nothing is lost, the critical path reaches from start to finish, processors do one
// thing at a time, and a second run is the same.
TEST(Loggp, KeepsItsPromisesForRandomPrograms) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const RandomProgram made(random, 2 + static_cast<std::uint32_t>(below(random, 9)), 300, 20000);
    LogGops parameters{.o = seed % 4 == 0 ? 0.0 : 1500.0, .O = seed % 2 == 0 ? 0.5 : 0.0};
    parameters.S = seed % 3 == 0 ? 65535 : 5000;
    const Program program = made.built(loggops(parameters));
    const Simulation found = run(program);
    std::uint64_t sends = 0;
    for (std::uint32_t rank = 0; rank < program.size(); ++rank)
      for (const Operation& one : program.operations_of(rank))
        sends += one.kind == Kind::send ? 1 : 0;
    EXPECT_EQ(found.result.messages, sends);
    EXPECT_EQ(found.result.events, program.operation_count + sends);
    expect_chain(found.result);
    std::vector<Ticks> busy(program.size());
    for (std::size_t i = 0; i < found.timeline.size(); ++i) {
      const Segment& one = found.timeline[i];
      busy[one.rank] += one.end - one.begin;
      EXPECT_LE(one.end, found.result.ends[one.rank]);
      if (i > 0 && found.timeline[i - 1].rank == one.rank) {
        ASSERT_LE(found.timeline[i - 1].end, one.begin) << "rank " << one.rank;
      }
    }
    EXPECT_EQ(busy, found.result.busy);
    EXPECT_EQ(fingerprint(found.result), fingerprint(run(program).result));
  }
}

// The same bits on every machine and at every optimization level.
TEST(Loggp, GivesTheBitsThatItAlwaysGave) {
  std::uint64_t hash = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    const RandomProgram made(random, 8, 200, 9000);
    hash = hash * 31 + fingerprint(run(made.built(loggops({.G = 0.37, .S = 6000}))).result);
  }
  EXPECT_EQ(hash, 6206601002530243978U);
}

TEST(Loggp, ChargesTheReceiversInterfaceForAnIncast) {
  constexpr std::int64_t senders = 8;
  constexpr std::int64_t bytes = 10001;
  ProgramBuilder builder(senders + 1);
  for (std::int64_t from = 1; from <= senders; ++from)
    builder.receive(from, 0);
  builder.end_rank();
  for (std::int64_t from = 1; from <= senders; ++from) {
    builder.send(0, 0, LogGops{}.cost(bytes));
    builder.end_rank();
  }
  const Result result = run(builder.finish()).result;
  EXPECT_EQ(result.finish, 1500 + 2500 + senders * (1500 + (bytes - 1) * byte_ticks));
}

TEST(Loggp, KeepsALongMessagesSenderUntilItsReceive) {
  for (const bool is_late : {false, true}) {
    ProgramBuilder builder(2);
    const std::uint32_t sent = builder.send(1, 0, LogGops{.S = 7}.cost(8));
    builder.require(builder.compute(100), sent);
    builder.end_rank();
    const std::uint32_t worked = builder.compute(is_late ? 50000 : 10);
    builder.require(builder.receive(0, 0), worked);
    builder.end_rank();
    const Result result = run(builder.finish()).result;
    // Taken in at 4000 where the receiver waits; else when it has worked, and met after.
    EXPECT_EQ(result.ends[0], (is_late ? 50000 : 4000) + 100);
    EXPECT_EQ(result.ends[1], (is_late ? 50000 : 4000) + 1500 + 7 * byte_ticks);
  }
}

TEST(Loggp, LetsReceivesOfAnyTakeTheFirstThatFits) {
  ProgramBuilder builder(3);
  const std::uint32_t first = builder.receive(std::int64_t{any}, any);
  const std::uint32_t second = builder.receive(1, any);
  builder.require(builder.compute(1000000), first);
  builder.require(builder.compute(10), second);
  builder.end_rank();
  const std::uint32_t late = builder.compute(90000);
  builder.require(builder.send(0, 5, LogGops{}.cost(1)), late);
  builder.end_rank();
  builder.send(0, 9, LogGops{}.cost(1));
  builder.end_rank();
  const Result result = run(builder.finish()).result;
  EXPECT_EQ(result.finish,
            4000 + 1500 + 1000000 + 1500 + 10); // the other message and what it frees come after
}

TEST(Loggp, BeginsNothingBeforeWhatItRequiresOnAnotherProcessor) {
  ProgramBuilder builder(1);
  const std::uint32_t one = builder.compute(700, {.cpu = 0});
  const std::uint32_t two = builder.compute(50, {.cpu = 1});
  builder.require(two, one);
  builder.compute(300, {.cpu = 1});
  builder.end_rank();
  const Result result = run(builder.finish()).result;
  EXPECT_EQ(result.finish, 750);
  expect_chain(result);
}

TEST(Loggp, SaysWhoWaitsForWhat) {
  ProgramBuilder builder(3);
  builder.receive(1, 7);
  builder.end_rank();
  builder.send(2, 8, LogGops{}.cost(10));
  const std::uint32_t waiting = builder.receive(0, any);
  builder.require(builder.compute(5), waiting);
  builder.end_rank();
  builder.end_rank();
  const std::string text = blocked(builder.finish());
  for (const char* part :
       {"3 of its 4 operations", "rank 0, operation 0: waits for a message from rank 1, tag 7",
        "rank 1, operation 0: its 10 bytes wait for a receive of rank 2, tag 8",
        "rank 1, operation 1: waits for a message from rank 0, any tag"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(ProgramBuilder, RefusesWhatNoProgramCanBe) {
  EXPECT_THROW(ProgramBuilder(0), Error);
  EXPECT_THROW(ProgramBuilder(std::int64_t{1} << 30), Error);
  ProgramBuilder builder(2);
  EXPECT_THROW(builder.send(2, 0, {}), Error);
  EXPECT_THROW(builder.receive(-1, 0), Error);
  EXPECT_THROW(builder.compute(-1), Error);
  const std::uint32_t a = builder.compute(1);
  const std::uint32_t b = builder.compute(1);
  builder.require(a, b);
  builder.require(b, a);
  EXPECT_THROW(builder.end_rank(), Error);
}

TEST(ProgramBuilder, SharesPatternsOfRanksThatAreAlike) {
  EXPECT_EQ(sample_program("allreduce_ring", 100, 1000, loggops()).patterns.size(), 1U);
  EXPECT_EQ(sample_program("dissemination", 100, 8, loggops()).patterns.size(), 1U);
  EXPECT_EQ(sample_program("allreduce_recdoub", 128, 1024, loggops()).patterns.size(), 1U);
  EXPECT_LE(sample_program("binomialtreebcast", 1 << 12, 8, loggops()).patterns.size(), 26U);
}

TEST(LogGopsParameters, AreReadOrRefused) {
  EXPECT_EQ(parse_loggops("1,2,3,0.5,0,100").cost(101), (LogGops{1, 2, 3, 0.5, 0, 100}.cost(101)));
  EXPECT_EQ(parse_loggops("7").L, 7);
  for (const char* text : {"", ",", "1,,2", "1,2,3,4,5,6,7", "x", "-1", "1e10", "nan", "1 ", "inf"})
    EXPECT_THROW(parse_loggops(text), Error) << text;
  std::mt19937_64 random(9);
  for (int round = 0; round < 3000; ++round) {
    std::string text = "2500,15.5,1000,6e-1,0,65535";
    for (std::uint64_t changes = 1 + below(random, 4); changes > 0; --changes)
      text[below(random, text.size())] = "0123456789,.-+exna \xff"[below(random, 21)];
    try {
      const MessageCost cost = parse_loggops(text).cost(1 << 20);
      EXPECT_GE(std::min({cost.delay(), cost.send(), cost.receive(), cost.interface_out()}), 0) << text;
    } catch (const Error& error) {
      EXPECT_FALSE(error.remedy().empty()) << text;
    }
  }
}

} // namespace
} // namespace thalweg::simulate

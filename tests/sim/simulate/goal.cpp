// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/goal.hpp"

#include "base/error.hpp"
#include "programs.hpp"
#include "simulate/goal.hpp"
#include "simulate/schedules.hpp"
#include "simulate/simulation.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <optional>

namespace thalweg::simulate {
namespace {

const CostBetween usual = [](std::int64_t bytes, std::uint32_t, std::uint32_t) {
  return LogGops{}.cost(bytes);
};

std::uint64_t outcome(const Program& program) {
  return fingerprint(simulate(program, {}).result);
}

/// A program as txt2bin writes it.
class BinaryWriter {
public:
  explicit BinaryWriter(const Program& program) {
    put<std::uint64_t>(4223);
    put(program.size());
    put(static_cast<std::uint8_t>(program.cpus - 1));
    put(static_cast<std::uint8_t>(program.nics - 1));
    const std::size_t table = bytes_.size();
    bytes_.resize(table + std::size_t{16} * program.size());
    for (std::uint32_t rank = 0; rank < program.size(); ++rank) {
      const std::uint64_t begin = bytes_.size() - 8;
      write_rank(program, rank);
      const std::uint64_t ends[2] = {begin, bytes_.size() - 8};
      std::memcpy(bytes_.data() + table + std::size_t{16} * rank, ends, sizeof ends);
    }
  }

  const std::string& bytes() const { return bytes_; }

private:
  template <typename Number>
  void put(Number number) {
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
  }

  void write_rank(const Program& program, std::uint32_t rank) {
    const auto operations = program.operations_of(rank);
    put(static_cast<std::uint32_t>(operations.size()));
    std::vector<std::uint32_t> roots;
    for (std::uint32_t i = 0; i < operations.size(); ++i)
      if (operations[i].requirements == 0)
        roots.push_back(i);
    put(static_cast<std::uint32_t>(roots.size()));
    for (const std::uint32_t root : roots)
      put(root);
    std::vector<std::uint32_t> lists;
    for (const Operation& one : operations) {
      put(one.requirements);
      put(static_cast<std::uint8_t>(static_cast<int>(one.kind) + 1));
      put(one.kind == Kind::compute ? 0 : one.peer == any ? any : program.from_base(rank, one.peer));
      put(static_cast<std::uint64_t>(one.kind == Kind::compute ? program.durations[one.cost]
                                     : one.kind == Kind::send  ? program.costs[one.cost].bytes
                                                               : 1));
      put(one.tag);
      put(one.cpu);
      put(one.nic);
      for (const std::uint32_t is_start : {0U, 1U}) {
        const auto begin = static_cast<std::uint32_t>(lists.size());
        for (const std::uint32_t dependent : program.dependents_of(one))
          if ((dependent & 1) == is_start)
            lists.push_back(dependent >> 1);
        put(static_cast<std::uint32_t>(lists.size()) - begin);
        put(begin);
      }
    }
    for (const std::uint32_t number : lists)
      put(number);
  }

  std::string bytes_;
};

TEST(Goal, ReadsTextAndBinaryAsTheSameProgram) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    std::mt19937_64 random(seed);
    const RandomProgram made(random, 1 + static_cast<std::uint32_t>(below(random, 8)), 150, 70000);
    const Program program = made.built(loggops());
    const Program read = read_goal(made.text(), "test", usual);
    EXPECT_EQ(outcome(read), outcome(program)) << "seed " << seed;
    EXPECT_EQ(outcome(read_goal(BinaryWriter(program).bytes(), "test", usual)), outcome(program))
        << "seed " << seed;
  }
}

// What is exported and read again is what is simulated without a text between.
TEST(Goal, ReadsWhatIsExportedOfEveryStrategy) {
  for (const strategies::Strategy& strategy : strategies::all()) {
    const std::string selection =
        std::string(schedule::name(strategy.operation)) + "=" + std::string(strategy.name);
    SCOPED_TRACE(selection);
    std::optional<strategies::Sample> sample;
    try {
      sample = strategies::make_sample(selection, {.ranks = 8, .ranks_per_node = 2, .unit_bytes = 4096});
    } catch (const Error&) {
      continue; // it cannot do this problem
    }
    const schedule::GoalSizes sizes{.unit_bytes = 4096};
    const Program read = read_goal(strategies::export_goal(*sample, sizes.unit_bytes), "test", usual);
    EXPECT_EQ(outcome(read), outcome(program_of(*sample, sizes, LogGops{}).program));
  }
}

constexpr std::string_view example = R"(num_ranks 2
rank 0 {
l1: calc 100 cpu 1
l2: send 10b to 1 tag 3 cpu 1 nic 1
l2 requires l1
recv 5b from -1 tag -1 // whoever
}
rank 1 { /* a comment
of two lines */
b_1: recv 10b from 0 tag 3
b_2: send 5b to 0
b_2 irequires b_1
}
)";

TEST(Goal, ReadsAllThatTheDialectHas) {
  const Program program = read_goal(example, "example", usual);
  EXPECT_EQ(program.cpus, 2U);
  EXPECT_EQ(program.nics, 2U);
  EXPECT_EQ(program.operation_count, 5U);
  EXPECT_TRUE(program.pattern_of(0).has_any);
  EXPECT_GT(simulate(program, {}).result.finish, 0);
}

TEST(Goal, NamesTheLineThatIsWrong) {
  const auto expect_error = [](std::string_view text, std::string_view part) {
    try {
      read_goal(text, "app.goal", usual);
      FAIL() << text;
    } catch (const Error& error) {
      EXPECT_NE(error.problem().find(part), std::string::npos) << error.problem();
      EXPECT_FALSE(error.remedy().empty());
    }
  };
  expect_error("", "app.goal:1: num_ranks is missing");
  expect_error("num_ranks 0", "0 ranks");
  expect_error("num_ranks 2\nrank 1 {", ":2: rank 1 where rank 0 is due");
  expect_error("num_ranks 1\nrank 0 {\nsend 4b to 1\n}", ":3: rank 1 of 1");
  expect_error("num_ranks 1\nrank 0 {\na: calc 4\na: calc 5\n}", ":4: the label \"a\" is there twice");
  expect_error("num_ranks 1\nrank 0 {\na requires b\n}", ":3: the label \"");
  expect_error("num_ranks 1\nrank 0 {\na: calc 4 5\n}", ":3: the line goes on");
  expect_error("num_ranks 1\nrank 0 {\n/* \n", "a comment has no end");
  expect_error("num_ranks 1\nrank 0 {\ncalc 99999999999999999999\n}", "beyond");
  expect_error("num_ranks 1\nrank 0 {\n}\nrank 1 {\n}", "more behind the last rank");
  expect_error("num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\na requires b\nb requires a\n}", "in a circle");
}

// Damaged files are read or refused; nothing else happens.
TEST(Goal, BearsDamage) {
  std::mt19937_64 random(7);
  const RandomProgram made(random, 5, 40, 3000);
  for (const std::string& whole :
       {made.text(), std::string(example), BinaryWriter(made.built(loggops())).bytes()}) {
    for (int i = 0; i < 3000; ++i) {
      std::string damaged = whole;
      for (std::uint64_t hits = 1 + below(random, 3); hits > 0 && !damaged.empty(); --hits) {
        const std::size_t at = below(random, damaged.size());
        switch (below(random, 4)) {
        case 0:
          damaged[at] = static_cast<char>(random());
          break;
        case 1:
          damaged.erase(at, 1 + below(random, 9));
          break;
        case 2:
          damaged.insert(at, damaged.substr(below(random, damaged.size()), 1 + below(random, 12)));
          break;
        default:
          damaged.resize(at);
        }
      }
      try {
        const Program program = read_goal(damaged, "damaged", usual);
        if (program.operation_count < 1000)
          simulate(program, {});
      } catch (const Error& error) {
        ASSERT_FALSE(error.problem().empty());
      }
    }
  }
}

} // namespace
} // namespace thalweg::simulate

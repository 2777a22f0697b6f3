// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/goal.hpp"
#include "schedule/printer.hpp"
#include "strategies/index.hpp"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace thalweg::schedule {
namespace {

std::vector<Schedule> sample(Operation operation, std::string_view name, std::int32_t ranks) {
  const auto& strategy = strategies::find(operation, name);
  Problem problem{.operation = operation, .ranks = ranks};
  problem.parameters = strategies::resolve(strategy, {});
  return strategies::build_all(strategy, problem);
}

std::size_t occurrences(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    ++count;
  return count;
}

TEST(Printer, NamesBlocksRunsAndStrides) {
  EXPECT_EQ(print_blocks(input(3)), "input[3]");
  EXPECT_EQ(print_blocks(output(0, 4) + scratch(2)), "output[0..3] scratch[2]");
  EXPECT_EQ(print_blocks(BlockList{{Buffer::scratch, 0, 2, 4, 8}}), "scratch[0..1 x4 by 8]");
  EXPECT_EQ(print_blocks(BlockList{}), "");
}

TEST(Printer, PrintsALineForEachStep) {
  for (const Schedule& schedule : sample(Operation::allreduce, "recursive_doubling", 6)) {
    const std::string text = print(schedule);
    EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(text, '\n')),
              1 + schedule.stages.size() + schedule.steps.size());
    EXPECT_EQ(text.find(" token"), std::string::npos);
  }
  EXPECT_NE(print(sample(Operation::allreduce, "rabenseifner", 4)[3])
                .find("receive message (+) output[3] into output[3] from 1"),
            std::string::npos);
}

TEST(Printer, DrawsAnArrowForEachMessage) {
  const auto schedules = sample(Operation::alltoall, "direct", 4);
  const std::string picture = draw(schedules);
  EXPECT_EQ(occurrences(picture, "color=blue"), 12U);
  EXPECT_EQ(occurrences(picture, "subgraph cluster_"), 4U);
}

/// Reads a GOAL text as LogGOPSim's grammar does: every line is known, and what a line requires stands in the
/// same rank.
void expect_goal(const std::string& text) {
  static const std::regex operation(
      R"(  (\w+): (calc \d+|send [1-9]\d*b to \d+ tag \d+|recv [1-9]\d*b from \d+ tag \d+))");
  static const std::regex requirement(R"(  (\w+) requires (\w+))");
  std::set<std::string> labels;
  std::istringstream lines(text);
  std::string line;
  std::smatch match;
  std::getline(lines, line);
  EXPECT_TRUE(std::regex_match(line, std::regex("num_ranks \\d+")));
  while (std::getline(lines, line)) {
    if (line == "}" || line.starts_with("rank ")) {
      labels.clear();
    } else if (std::regex_match(line, match, operation)) {
      EXPECT_TRUE(labels.insert(match[1]).second) << line;
    } else {
      ASSERT_TRUE(std::regex_match(line, match, requirement)) << line;
      EXPECT_TRUE(labels.contains(match[1]) && labels.contains(match[2])) << line;
    }
  }
}

TEST(Goal, WritesEveryStrategyInTheGrammar) {
  for (const strategies::Strategy& strategy : strategies::all()) {
    Problem problem{.operation = strategy.operation, .ranks = 7, .unit_bytes = 1000};
    problem.commutative = !strategy.keeps_rank_order;
    problem.parameters = strategies::resolve(strategy, {});
    problem.neighborhoods =
        std::make_shared<const std::vector<Neighborhood>>(7, Neighborhood{.sources = {}, .destinations = {}});
    if (strategies::unsupported_reason(strategy, problem))
      continue;
    SCOPED_TRACE(strategy.name);
    expect_goal(export_goal(strategies::build_all(strategy, problem), {.unit_bytes = 1000}));
  }
}

TEST(Goal, GivesEachMessageATagThatItsReceiveHas) {
  const strategies::Strategy& strategy = strategies::find(Operation::allreduce, "segmented_ring");
  Problem problem{.operation = Operation::allreduce, .ranks = 3, .unit_bytes = 3000};
  problem.parameters = strategies::resolve(strategy, {{"segment", 100}});
  std::istringstream lines(export_goal(strategies::build_all(strategy, problem), {.unit_bytes = 3000}));
  static const std::regex message(R"(  \w+: (send|recv) (\d+)b (?:to|from) (\d+) tag (\d+))");
  static const std::regex begin(R"(rank (\d+) \{)");
  std::map<std::array<std::string, 3>, std::string> sent;
  std::map<std::array<std::string, 3>, std::string> received;
  std::string rank;
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_match(line, match, begin)) {
      rank = match[1];
    } else if (std::regex_match(line, match, message)) {
      const bool sends = match[1] == "send";
      const std::array<std::string, 3> key{sends ? rank : match[3].str(), sends ? match[3].str() : rank,
                                           match[4]};
      EXPECT_TRUE((sends ? sent : received).emplace(key, match[2]).second) << line;
    }
  }
  EXPECT_EQ(sent.size(), 3U * 2 * 2 * 10);
  EXPECT_EQ(sent, received);
}

TEST(Goal, SendsAsManyBytesAsAreReceived) {
  const std::string text = export_goal(sample(Operation::alltoall, "direct", 5), {.unit_bytes = 24});
  EXPECT_EQ(occurrences(text, "send 24b"), 20U);
  EXPECT_EQ(occurrences(text, "recv 24b"), 20U);
}

} // namespace
} // namespace thalweg::schedule

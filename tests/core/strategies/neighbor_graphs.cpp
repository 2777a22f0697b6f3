// SPDX-License-Identifier: BSD-3-Clause

// Strategies that know the whole graph of a neighborhood: proven on random graphs and nodes, and counted.

#include "base/arithmetic.hpp"
#include "oracle.hpp"
#include "strategies/index.hpp"
#include "strategies/neighbor_graph.hpp"
#include "strategies/prover.hpp"
#include "topology/virtual_mesh.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

namespace thalweg::strategies {
namespace {

using schedule::Schedule;
using schedule::StepKind;

/// Skewed or even degrees, parallel edges, edges of ranks to themselves, ranks without any; nodes of any
/// size.
Problem random_problem(Operation operation, std::mt19937& random) {
  const auto below = [&](std::int32_t limit) {
    return static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(limit));
  };
  Problem problem{.operation = operation, .ranks = 1 + below(24)};
  std::vector<schedule::Neighborhood> all(static_cast<std::size_t>(problem.ranks));
  const bool is_skewed = below(2) == 0;
  for (std::int32_t edge = below(6 * problem.ranks); edge > 0; --edge) {
    const Rank to = below(problem.ranks);
    const Rank from = is_skewed ? below(1 + below(problem.ranks)) : below(problem.ranks);
    all[static_cast<std::size_t>(from)].destinations.push_back(to);
    all[static_cast<std::size_t>(to)].sources.push_back(from);
  }
  for (schedule::Neighborhood& own : all)
    std::ranges::shuffle(own.sources, random);
  problem.neighborhoods = std::make_shared<const std::vector<schedule::Neighborhood>>(std::move(all));
  std::vector<std::int32_t> nodes(static_cast<std::size_t>(problem.ranks));
  const std::int32_t node_count = 1 + below(std::min(problem.ranks, 6));
  for (std::int32_t& node : nodes)
    node = below(node_count);
  for (std::int32_t node = 0; node < node_count; ++node) // each has a rank, as the numbers have no gaps
    nodes[static_cast<std::size_t>(node)] = node;
  problem.nodes = std::make_shared<const std::vector<std::int32_t>>(std::move(nodes));
  return problem;
}

constexpr int graphs = 150;

/// Calls `check(strategy, problem)` for random problems of both operations.
template <typename Check>
void for_random_graphs(std::string_view name, const schedule::Parameters& parameters, Check check) {
  std::mt19937 random(2005);
  for (const Operation operation : {Operation::neighbor_alltoall, Operation::neighbor_allgather})
    for (int graph = 0; graph < graphs; ++graph) {
      SCOPED_TRACE(testing::Message() << schedule::name(operation) << " graph " << graph);
      const Strategy& strategy = find(operation, name);
      Problem problem = random_problem(operation, random);
      problem.parameters = resolve(strategy, parameters);
      check(strategy, problem);
    }
}

void expect_right(const Strategy& strategy, const Problem& problem) {
  for (const std::string& fault : prove(strategy, problem))
    ADD_FAILURE() << fault;
  const std::vector<Schedule> schedules = build_all(strategy, problem);
  for (const std::uint64_t seed : {1, 2}) {
    const auto wrong = what_goes_wrong(problem, schedules, {.seed = seed, .eager = seed == 1});
    EXPECT_EQ(wrong.value_or(""), "");
  }
}

TEST(NeighborGraphs, HaveBothEndsOfEachEdge) {
  EXPECT_TRUE(has_both_ends({{{1, -1}, {1, 1}}, {{0, 0}, {-1, 0}}}));
  EXPECT_FALSE(has_both_ends({{{1}, {1, 1}}, {{0}, {0}}})) << "an edge that nobody awaits";
  EXPECT_FALSE(has_both_ends({{{1, 1}, {1}}, {{0}, {0}}})) << "one that nobody sends along";
  EXPECT_FALSE(has_both_ends({{{}, {2}}, {{}, {}}})) << "one to a rank that there is not";
}

TEST(NeighborGraphs, ColoredIsRightOnRandomOnes) {
  for_random_graphs("colored", {}, expect_right);
  for_random_graphs("colored", {{"window", 3}}, expect_right);
  for_random_graphs("colored", {{"window", 2}, {"barrier", 2}}, expect_right);
}

TEST(NeighborGraphs, NodeAwareIsRightOnRandomOnes) {
  for_random_graphs("node_aware", {}, expect_right);
  for_random_graphs("node_aware", {{"steps", 2}}, expect_right);
  for_random_graphs("node_aware", {{"dimensions", 2}}, expect_right);
  for_random_graphs("node_aware", {{"dimensions", 16}}, expect_right);
  for_random_graphs("node_aware", {{"steps", 2}, {"dimensions", 3}}, expect_right);
}

TEST(NeighborGraphs, ColoredMeetsNobodyTwiceInAPhase) {
  for_random_graphs("colored", {{"barrier", 1}}, [](const Strategy& strategy, const Problem& problem) {
    std::size_t degree = 0;
    for (Rank rank = 0; rank < problem.ranks; ++rank) {
      const auto& own = (*problem.neighborhoods)[static_cast<std::size_t>(rank)];
      const auto others = [&](const std::vector<Rank>& peers) {
        return peers.size() - static_cast<std::size_t>(std::ranges::count(peers, rank));
      };
      degree = std::max({degree, others(own.sources), others(own.destinations)});
    }
    // Between barriers a stage has what a phase has.
    std::vector<std::size_t> barriers;
    for (const Schedule& schedule : build_all(strategy, problem)) {
      std::size_t tokens = 0;
      for (std::size_t stage = 0; stage < schedule.stages.size(); ++stage) {
        std::map<StepKind, int> messages;
        for (std::uint32_t s = schedule.stages[stage]; s < schedule.stage_end(stage); ++s) {
          const schedule::Step& step = schedule.steps[s];
          if (!schedule::is_message(step))
            continue;
          if (schedule::is_receive(step) ? schedule.target(step).empty() : schedule.source(step).empty())
            ++tokens;
          else
            ++messages[step.kind];
        }
        for (const auto& [kind, count] : messages)
          EXPECT_LE(count, 1);
      }
      barriers.push_back(tokens);
    }
    const std::size_t tokens_of_barrier = 2 * static_cast<std::size_t>(ceil_log(2, problem.ranks));
    for (const std::size_t tokens : barriers)
      EXPECT_EQ(tokens, degree > 1 ? (degree - 1) * tokens_of_barrier : 0);
  });
}

TEST(NeighborGraphs, NodeAwareSendsOneMessageFromNodeToNode) {
  for_random_graphs("node_aware", {}, [](const Strategy& strategy, const Problem& problem) {
    const auto node = [&](Rank rank) { return (*problem.nodes)[static_cast<std::size_t>(rank)]; };
    std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t> wanted;
    std::set<std::pair<Rank, std::int32_t>> seen;
    for (const GraphEdge& edge : graph_edges(*problem.neighborhoods))
      if (node(edge.from) != node(edge.to) && (problem.operation == Operation::neighbor_alltoall ||
                                               seen.emplace(edge.from, node(edge.to)).second))
        ++wanted[{node(edge.from), node(edge.to)}];
    std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t> sent;
    for (const Schedule& schedule : build_all(strategy, problem))
      for (const schedule::Step& step : schedule.steps)
        if (step.kind == StepKind::send && node(schedule.rank) != node(step.peer)) {
          const bool is_first = sent.emplace(std::pair(node(schedule.rank), node(step.peer)),
                                             block_count(schedule.source(step)))
                                    .second;
          EXPECT_TRUE(is_first) << "a second message from a node to another";
        }
    EXPECT_EQ(sent, wanted); // all blocks, each once
  });
}

// Kumar 2005, section 3.1: at most a message to each node of the own line, in each dimension.
TEST(NeighborGraphs, NodeAwareOnAMeshSendsAlongItsLines) {
  for (const std::int64_t dimensions : {2, 3, 16})
    for_random_graphs(
        "node_aware", {{"dimensions", dimensions}}, [&](const auto& strategy, const auto& problem) {
          const auto node = [&](Rank rank) { return (*problem.nodes)[static_cast<std::size_t>(rank)]; };
          const std::int32_t nodes = std::ranges::max(*problem.nodes) + 1;
          const topology::VirtualMesh mesh(nodes, static_cast<std::int32_t>(dimensions));
          int along_lines = 0;
          for (std::int32_t dimension = 0; dimension < mesh.dimensions(); ++dimension)
            along_lines += mesh.side(dimension) - 1;
          std::map<std::int32_t, int> sent;
          std::map<std::int32_t, std::set<Rank>> senders;
          for (const Schedule& schedule : build_all(strategy, problem))
            for (const schedule::Step& step : schedule.steps)
              if (step.kind == StepKind::send && node(schedule.rank) != node(step.peer)) {
                ++sent[node(schedule.rank)];
                senders[node(schedule.rank)].insert(schedule.rank);
              }
          for (const auto& [from, messages] : sent)
            EXPECT_LE(messages, along_lines) << "node " << from;
          for (const auto& [from, ranks] : senders)
            EXPECT_TRUE(mesh.dimensions() == 1 || ranks.size() == 1) << "node " << from;
        });
}

} // namespace
} // namespace thalweg::strategies
